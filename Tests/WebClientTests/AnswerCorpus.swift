import MemoCore

/// Answers that a face may take for what they are not: the relay's own, and those of proxies and
/// captive portals.
enum AnswerCorpus {
    private static let statuses =
        [100, 101, 103, 199] + [200, 201, 202, 203, 204, 205, 206, 207, 226, 299]
        + [300, 301, 302, 303, 304, 305, 307, 308, 399]
        + [
            400, 401, 402, 403, 404, 405, 406, 407, 408, 409, 410, 411, 412, 413, 414, 415, 416,
            417,
        ]
        + [418, 421, 422, 423, 424, 425, 426, 428, 429, 431, 451, 498, 499]
        + [500, 501, 502, 503, 504, 505, 507, 508, 511, 520, 530, 598, 599]

    /// The statuses of answers that may ask for a wait.
    private static let waiting = [409, 429, 503]

    /// Sun, 06 Nov 1994 08:49:37 GMT, and other times around it.
    private static let date = "Sun, 06 Nov 1994 08:49:37 GMT"
    private static let waits = [
        "", "0", "1", "7", "59", "601", "3600", "3601", "90000", "99999999999999999999999999", "-5",
        "+5", "1.5", "soon", "7 s", "0x10", "Sun, 06 Nov 1994 08:51:37 GMT",
        "Sun, 06 Nov 1994 08:48:37 GMT", "Sunday, 06-Nov-94 09:49:37 GMT",
        "Sun Nov  6 08:49:47 1994", "Sun, 31 Feb 1994 08:49:37 GMT",
    ]

    private static let codes = ProblemCode.allCases.map { "\($0.name)" }

    private static let problem = "application/problem+json"
    private static let json = "application/json"

    /// Media types and bodies; `{status}` stands for the answer's own status.
    private static let problems: [(type: String, body: String)] =
        codes.flatMap { code in
            [false, true].map { (problem, whole(code, isRetryable: $0)) }
        } + [
            // A problem of the relay's, in other words.
            (
                problem,
                #"{"retryable":false,"status":{status},"code":"too-large"}"#
            ),
            (problem, #" { "code" : "unauthorized", "retryable":false , "status":{status} } "#),
            (problem + "; charset=utf-8", whole("too-large")),
            (problem + " ;x", whole("invalid-address")),
            ("Application/Problem+JSON", whole("code-rejected")),
            (
                problem,
                #"{"code":"too-large","retryable":false,"status":{status},"title":null,"type":7}"#
            ),
            (
                problem,
                #"{"code":"quota-exceeded","retryable":true,"status":{status},"violated-policies":7}"#
            ),
            (
                problem,
                #"{"code":"too-large","retryable":false,"status":{status},"more":[[{"x":1.5e3}]]}"#
            ),
            // None of the relay's.
            (problem, whole("of-another-service")), (problem, whole("")),
            (problem, whole("Too-Large")),
            (problem, #"{"title":"No.","status":{status},"retryable":false}"#),
            (problem, #"{"title":"No.","status":{status},"code":"too-large"}"#),
            (problem, #"{"title":"No.","code":"too-large","retryable":false}"#),
            (problem, #"{"status":"{status}","code":"too-large","retryable":false}"#),
            (problem, #"{"status":1,"code":"too-large","retryable":false}"#),
            (problem, #"{"status":{status},"code":7,"retryable":false}"#),
            (problem, #"{"status":{status},"code":"too-large","retryable":0}"#),
            (problem, #"{"status":{status},"code":"too-large","retryable":"no"}"#),
            (problem, #"[{"status":{status},"code":"too-large","retryable":false}]"#),
            (problem, String(whole("too-large").dropLast())), (problem, whole("too-large") + "x"),
            (problem, ""), (problem, "null"), (problem, "<html>"), (json, whole("too-large")),
            ("text/html", whole("unauthorized")), ("", whole("too-large")),
            ("text/html", "<html>Please sign in"), ("", ""), ("text/plain", "Bad Gateway"),
            ("application/problem+xml", "<problem/>"), (json, "{}"), (json, "[]"),
        ]

    private static func whole(_ code: String, isRetryable: Bool = false) -> String {
        #"{"type":"about:blank","title":"No.","status":{status},"code":"\#(code)","#
            + #""retryable":\#(isRetryable)}"#
    }

    private static let accepted = #"{"id":"{id}","status":"accepted"}"#
    private static let successes: [(type: String, body: String)] = [
        (json, accepted), (json + "; charset=utf-8", accepted), ("APPLICATION/JSON", accepted),
        (json, #"{"extra":[1,{"a":null}],"id":"{id}","status":"another"}"#),
        (json, #"{"id":"017f22e2-79b0-7cc3-98c4-dc0c0c07398f","status":"accepted"}"#),
        (json, #"{"id":"{id}"}"#), (json, #"{"status":"accepted"}"#),
        (json, #"{"id":"{id}","status":7}"#), (json, #"{"id":7,"status":"accepted"}"#),
        (json, #"[{"id":"{id}","status":"accepted"}]"#), (json, accepted + "}"),
        (problem, accepted), ("text/html", accepted), ("", accepted), (json, ""),
        (json, #"{"id":"{id} ","status":"accepted"}"#), (json, #""{id}""#),
    ]

    /// Each status with each body, each with some wait; each wait with each body of statuses that
    /// ask for one.
    static let memos = answers(problems + successes)

    static func signIn(success: String) -> [FaceAnswer] {
        answers(
            problems + [
                (json, success), (json + ";charset=utf-8", success), ("text/html", success),
                (problem, success), (json, success + "x"), (json, ""), (json, "null"),
                (json, #""text""#), (json, "7"),
                // A token goes into a header field.
                (json, #"{"token":""}"#), (json, #"{"token":7}"#), (json, #"{"token":"a b"}"#),
                (json, #"{"token":"a\nb"}"#), (json, #"{"token":"ü"}"#),
                (json, #"{"token":"\#(String(repeating: "x", count: 5000))"}"#),
            ]
        )
    }

    private static func answers(_ bodies: [(type: String, body: String)]) -> [FaceAnswer] {
        var answers: [FaceAnswer] = []
        for (row, status) in statuses.enumerated() {
            for (column, body) in bodies.enumerated() {
                let wait = waits[(row + column * 5) % waits.count]
                answers.append(answer(status, body, wait))
            }
        }
        for status in waiting {
            for body in [problems[0], problems[27], problems[33], ("text/html", "<html>")] {
                for wait in waits { answers.append(answer(status, body, wait)) }
            }
        }
        return answers
    }

    private static func answer(
        _ status: Int,
        _ body: (type: String, body: String),
        _ wait: String
    ) -> FaceAnswer {
        FaceAnswer(
            status: status,
            type: body.type,
            retryAfter: wait,
            date: date,
            body: body.body.replacing("{status}", with: "\(status)")
        )
    }
}
