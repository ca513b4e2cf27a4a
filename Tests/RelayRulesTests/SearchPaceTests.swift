import OutboxCore
import Testing

@testable import RelayRules

/// Choices in a queue in which one mailbox has many mails, with a clock that each page moves.
@Suite("The pace of searches")
struct SearchPaceTests {
    private static let limit = 8

    /// A queue whose mails have the numbers of their places, and how long reading a page of it takes.
    private struct Queue {
        var mailboxes: [UInt8]
        var pageTime = Milliseconds(10)
        var now = Milliseconds(1_000)
        var pages = 0

        /// - Returns: The places of the mails that are chosen, and the time after which there may be more.
        mutating func choose(
            _ pace: inout SearchPace,
            inFlight: Set<Int> = []
        ) -> (places: [Int], wait: Milliseconds?) {
            var queue = self
            let choice = pace.choose(
                limit: SearchPaceTests.limit,
                inFlight: Set(inFlight.map(Self.id)),
                now: { queue.now },
                reading: { page in
                    queue.now = Milliseconds(queue.now.count + queue.pageTime.count)
                    queue.pages += 1
                    return (queue.mails(of: page), nil)
                }
            )
            self = queue
            return (choice.mails.map { Int($0.entry.rawValue) }, choice.wait)
        }

        private func mails(of page: FairChoice.Page) -> [FairChoice.Mail] {
            guard page.age == .new else { return [] }
            let mails = mailboxes.enumerated().map { place, mailbox in
                FairChoice.Mail(
                    entry: EntryID(rawValue: Int64(place)),
                    position: .init(due: 0, id: Self.id(place).bytes),
                    mailbox: [mailbox]
                )
            }
            let searched = mails.filter { mail in page.last.map { $0 < mail.position } ?? true }
                .prefix(page.search)
            return Array(
                searched.filter { !page.leftOut.contains($0.mailbox ?? []) }.prefix(page.limit)
            )
        }

        private static func id(_ place: Int) -> OperationID {
            OperationID(high: 1, low: UInt64(place))
        }
    }

    @Test(
        "a search in vain is repeated after four times its time, and choices of first pages go on"
    )
    func rest() {
        var queue = Queue(mailboxes: Array(repeating: 1, count: 1_000))
        var pace = SearchPace()
        // Two ages, and a further page of one.
        #expect(queue.choose(&pace) == ([0, 1], nil))
        #expect(queue.pages == 3)
        #expect(queue.choose(&pace) == ([0, 1], Milliseconds(40)))
        #expect(queue.choose(&pace) == ([0, 1], Milliseconds(20)))
        #expect(queue.pages == 7)
        #expect(queue.choose(&pace) == ([0, 1], nil))
        #expect(queue.pages == 10)
    }

    @Test("a mail behind those of a mailbox that has its share is chosen when the rest is over")
    func behindOthers() throws {
        var queue = Queue(mailboxes: Array(repeating: 1, count: 1_000))
        var pace = SearchPace()
        _ = queue.choose(&pace)
        queue.mailboxes.append(2)
        let (places, wait) = queue.choose(&pace)
        #expect(places == [0, 1])
        queue.now = Milliseconds(queue.now.count + (try #require(wait)).count)
        #expect(queue.choose(&pace) == ([0, 1, 1_000], nil))
        // What it has found is handed over, and the next search does not rest.
        queue.mailboxes.append(2)
        #expect(queue.choose(&pace, inFlight: [0, 1, 1_000]) == ([0, 1, 1_000, 1_001], nil))
    }

    @Test("a search that finds mails in flight alone is in vain")
    func inFlight() {
        var queue = Queue(mailboxes: Array(repeating: 1, count: 1_000) + [2])
        var pace = SearchPace()
        #expect(queue.choose(&pace, inFlight: [0, 1, 1_000]) == ([0, 1, 1_000], nil))
        #expect(queue.choose(&pace, inFlight: [0, 1, 1_000]) == ([0, 1], Milliseconds(40)))
    }

    @Test("a rest takes two seconds at most, however slow the store is")
    func longestRest() {
        var queue = Queue(
            mailboxes: Array(repeating: 1, count: 1_000),
            pageTime: .seconds(60)
        )
        var pace = SearchPace()
        _ = queue.choose(&pace)
        #expect(queue.choose(&pace).wait == .seconds(2))
    }

    @Test("a queue that its first pages show has no rest")
    func shortQueue() {
        var queue = Queue(mailboxes: [1, 1, 1, 2])
        var pace = SearchPace()
        for _ in 0..<3 { #expect(queue.choose(&pace) == ([0, 1, 3], nil)) }
        #expect(queue.pages == 6)
    }
}
