import MemoCore
import OutboxCore
import Testing

@Suite("The course of news")
struct NewsCourseTests {
    @Test(
        "whatever happens in whatever order, looks are served, and no request is without its cause",
        arguments: [
            NewsWorld.Budget(looks: 3, waits: 4),
            NewsWorld.Budget(looks: 2, waits: 4, isSent: false),
            NewsWorld.Budget(looks: 1, calls: 1, follows: 1, waits: 3),
            NewsWorld.Budget(looks: 1, calls: 1, handOvers: 1, leaves: 1, waits: 2),
            NewsWorld.Budget(looks: 1, handOvers: 2, follows: 1, waits: 2, failures: 1),
            NewsWorld.Budget(looks: 2, leaves: 1, waits: 1, forgets: 1, failures: 1),
        ]
    )
    func exhaustive(_ budget: NewsWorld.Budget) {
        let states = NewsWorld(budget).explore()
        #expect(states > 200, "\(states) states")
    }

    private static func at(_ seconds: Int64) -> Milliseconds { .seconds(seconds) }

    /// Follows the news of a process whose memos are delivered, and tells when it asked about them.
    private func questions(for seconds: Int64, longest: Milliseconds) -> [Int64] {
        var course = NewsCourse()
        var asked: [Int64] = []
        #expect(course.handle(.followed(longest), now: Self.at(0)) == nil)
        while let due = course.due, due.count <= seconds * 1000 {
            guard case .find(let statuses) = course.handle(.waited, now: due) else { break }
            #expect(statuses == [.sent] || due == Self.at(600) || due.count > 600_000)
            asked.append(due.count / 1000)
            #expect(course.handle(.found(cursor: nil), now: due) == .end(isRead: true))
        }
        return asked
    }

    @Test("the pauses of one who follows the news double, up to the longest")
    func pauses() {
        #expect(
            questions(for: 200, longest: NewsCourse.longestPause) == [5, 15, 35, 75, 135, 195]
        )
        #expect(
            questions(for: 130, longest: NewsCourse.longestPauseInSight) == [
                5, 15, 35, 65, 95, 125,
            ]
        )
    }

    @Test("delivered memos are asked about after ten minutes, a call, or a look")
    func delivered() {
        var course = NewsCourse()
        _ = course.handle(.followed(NewsCourse.longestPause), now: Self.at(0))
        var whole: [Int64] = []
        for _ in 0..<25 {
            guard let due = course.due else { break }
            if due > Self.at(1000), whole.count == 1 {
                #expect(course.handle(.called, now: due) == nil)
            }
            if case .find([.sent, .delivered]) = course.handle(.waited, now: due) {
                whole.append(due.count / 1000)
            }
            _ = course.handle(.found(cursor: nil), now: due)
        }
        #expect(whole == [615, 1035])
        #expect(course.handle(.looked, now: Self.at(2000)) == .find([.sent, .delivered]))
    }

    @Test("a memo that is handed over does not put the question off that another one waits for")
    func handedOver() {
        var course = NewsCourse()
        for second in Int64(0)..<5 {
            #expect(course.handle(.handedOver, now: Self.at(second)) == nil)
            #expect(course.due == Self.at(5))
        }
        #expect(course.handle(.waited, now: Self.at(5)) == .find([.sent]))
        #expect(course.handle(.handedOver, now: Self.at(5)) == nil)
        #expect(course.due == nil)
        #expect(course.handle(.found(cursor: []), now: Self.at(6)) == .ask(after: []))
        #expect(course.handle(.failed, now: Self.at(7)) == .end(isRead: false))
        #expect(course.due == Self.at(9), "the memo of the fourth second")
        #expect(course.handle(.waited, now: Self.at(9)) == .find([.sent]))
        #expect(course.handle(.failed, now: Self.at(9)) == .end(isRead: false))
        #expect(course.due == Self.at(10), "the memo of the fifth second")
    }

    @Test("an answer that is late, or told twice, changes nothing")
    func late() {
        var course = NewsCourse()
        let before = course
        for event in [
            .found(cursor: []), .answered(RelayAnswer(status: 200)), .stored, .overtaken, .failed,
            .waited,
        ] as [NewsCourse.Event] {
            #expect(course.handle(event, now: Self.at(1)) == nil)
            #expect(course == before)
        }
    }
}
