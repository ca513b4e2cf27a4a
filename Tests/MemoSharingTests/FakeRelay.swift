import MemoCore
import MemoKit
import OutboxCore
import Synchronization
import WireCore

@testable import MemoCourier

/// The part of a relay that devices of one account share: settings and devices, in memory.
///
/// Keeps the duties of a server as far as the tests need them: a version for each change, the condition of a
/// change of the settings, answers by the identity of a change, and a list of changes.
final class FakeRelay: Sendable {
    /// What a test lets happen to the next exchanges.
    enum Fault: Sendable {
        /// Nothing gets through.
        case away
        /// The request arrives, and its answer does not.
        case answerLost
        /// This answer comes in place of the relay's.
        case answered(RelayAnswer)
    }

    struct State {
        var version: Int64 = 0
        var settings: [String: JSON] = [:]
        var settingsVersion: Int64 = 0
        var answers: [String: (status: Int, body: [UInt8])] = [:]
        /// The devices and memos: rows without a version, by their identifiers.
        var rows: [String: (version: Int64, members: String)] = [:]
        var fault: Fault?
        /// The methods and paths of the requests that arrived, with their tokens.
        var requests: [String] = []
    }

    let state = Mutex(State())

    var requests: [String] { state.withLock { $0.requests } }

    var fault: Fault? {
        get { state.withLock { $0.fault } }
        set { state.withLock { $0.fault = newValue } }
    }

    /// The text of a setting; `nil` for one that nobody has set.
    func setting(_ name: String) -> String? {
        state.withLock { state in
            state.settings[name]?[string: "value"].map { String(decoding: $0, as: UTF8.self) }
        }
    }

    /// Tells a row to all devices: its kind and further members, as JSON.
    func tell(_ id: String, _ members: String) {
        state.withLock { state in
            state.version += 1
            state.rows[id] = (state.version, #""id":"\#(id)",\#(members)"#)
        }
    }

    var client: RelayClient { RelayClient { request in self.answer(request) } }

    func answer(_ request: PreparedRequest) -> Result<RelayAnswer, RelayFailure> {
        state.withLock { state in
            if case .away = state.fault { return .failure(.unreachable) }
            let path = request.url.replacing("http://127.0.0.1:1", with: "")
            let token = request.fields.first { $0.name == "Authorization" }?.value ?? ""
            state.requests.append("\(request.method) \(path) \(token)")
            if case .answered(let answer) = state.fault { return .success(answer) }
            let answer = Self.answer(request, path, &state)
            if case .answerLost = state.fault {
                state.fault = nil
                return .failure(.connectionLost)
            }
            return .success(answer)
        }
    }

    private static func answer(
        _ request: PreparedRequest,
        _ path: String,
        _ state: inout State
    ) -> RelayAnswer {
        let json = JSON(decoding: request.body)
        switch request.method {
        case "GET": return page(after: Int64(path.split(separator: "=").last ?? "") ?? 0, state)
        case "DELETE":
            let id = String(path.split(separator: "/").last ?? "")
            state.version += 1
            state.rows[id] = (state.version, #""id":"\#(id)","kind":"device","revokedAt":1"#)
            return answer(204, [], version: state.version)
        case "POST":
            guard let known = state.answers[identity(json)] else {
                return problem(404, "not-found")
            }
            return answer(200, known.body)
        default:
            if let known = state.answers[identity(json?["change"])] {
                return answer(known.status, known.body)
            }
            let result = change(request, json, &state)
            state.answers[identity(json?["change"])] = result
            return answer(result.status, result.body)
        }
    }

    private static func change(
        _ request: PreparedRequest,
        _ json: JSON?,
        _ state: inout State
    ) -> (status: Int, body: [UInt8]) {
        let condition = request.fields.first { $0.name.hasPrefix("If-") }?.value
        let time = json?[number: "time"] ?? 0
        guard condition == (state.settingsVersion == 0 ? "*" : "\"\(state.settingsVersion)\"")
        else {
            let settings = JSON.object([
                ("fields", fields(state)), ("version", .number(state.settingsVersion)),
            ])
            let body = JSON.object([
                ("answer", .string(Array("conflict".utf8))), ("settings", settings),
                ("time", .number(time)),
            ])
            return (412, body.encoded())
        }
        state.version += 1
        state.settingsVersion = state.version
        if case .object(let members)? = json?["fields"] {
            for member in members {
                state.settings[String(decoding: member.name, as: UTF8.self)] = .object([
                    ("node", json?["change"]?["node"] ?? .null),
                    ("number", json?["change"]?["number"] ?? .null),
                    ("time", .number(time)), ("value", member.value),
                ])
            }
        }
        let body = JSON.object([
            ("answer", .string(Array("accepted".utf8))), ("time", .number(time)),
            ("version", .number(state.version)),
        ])
        return (200, body.encoded())
    }

    private static func fields(_ state: State) -> JSON {
        .object(
            state.settings.sorted { $0.key < $1.key }.map {
                (name: Array($0.key.utf8), value: $0.value)
            }
        )
    }

    private static func page(after position: Int64, _ state: State) -> RelayAnswer {
        var rows: [(Int64, String)] = state.rows.values.map {
            ($0.version, #"{\#($0.members),"version":\#($0.version)}"#)
        }
        if state.settingsVersion > 0 {
            let fields = String(decoding: fields(state).encoded(), as: UTF8.self)
            rows.append(
                (
                    state.settingsVersion,
                    #"{"fields":\#(fields),"kind":"settings","version":\#(state.settingsVersion)}"#
                )
            )
        }
        let told = rows.filter { $0.0 > position }.sorted { $0.0 < $1.0 }.map(\.1)
        let body =
            #"{"cursor":"\#(state.version)","device":"own","more":false,"rows":[\#(told.joined(separator: ","))]}"#
        return answer(200, Array(body.utf8))
    }

    private static func identity(_ json: JSON?) -> String {
        "\(json?[number: "number"] ?? 0) \(json?[number: "attempt"] ?? 0) \(json?[string: "node"] ?? [])"
    }

    static func answer(_ status: Int, _ body: [UInt8], version: Int64? = nil) -> RelayAnswer {
        RelayAnswer(
            status: status,
            contentType: Array("application/json".utf8),
            relayTime: Array("1800000000000".utf8),
            relayVersion: version.map { Array("\($0)".utf8) } ?? [],
            body: body
        )
    }

    static func problem(_ status: Int, _ code: String) -> RelayAnswer {
        let body = #"{"code":"\#(code)","retryable":false,"status":\#(status)}"#
        return RelayAnswer(
            status: status,
            contentType: Array("application/problem+json".utf8),
            relayTime: Array("1800000000000".utf8),
            body: Array(body.utf8)
        )
    }
}
