import OutboxCore
import Testing

@testable import RelayRules

/// Every queue of a few mails, read in pages of every length.
@Suite("The choice of mails")
struct FairChoiceTests {
    private struct Mail: Hashable {
        let number: Int
        let isTried: Bool
        /// `nil` for a mail of no mailbox.
        let mailbox: UInt8?
    }

    /// What stands in a store: the mails in the order in which they are due.
    private struct Queue {
        let mails: [Mail]

        func page(_ page: FairChoice.Page) -> [FairChoice.Mail] {
            Array(later(than: page).prefix(page.limit))
        }

        /// The mails of a page without its limit.
        func later(than page: FairChoice.Page) -> [FairChoice.Mail] {
            let age = mails.filter { $0.isTried == (page.age == .tried) }.map { mail in
                FairChoice.Mail(
                    entry: EntryID(rawValue: Int64(mail.number)),
                    position: .init(due: mail.isTried ? 1 : 0, id: [UInt8(mail.number)]),
                    mailbox: mail.mailbox.map { [$0] }
                )
            }
            let later = age.filter { mail in page.last.map { $0 < mail.position } ?? true }
            return later.prefix(page.search).filter { mail in
                mail.mailbox.map { !page.leftOut.contains($0) } ?? true
            }
        }

        func choice(
            limit: Int,
            longestSearch: Int = 4096,
            laterPage: Int = 1
        ) -> (chosen: [Mail], read: Int) {
            var choice = FairChoice(
                limit: limit,
                longestSearch: longestSearch,
                laterPage: laterPage
            )
            var read = 0
            while let page = choice.next {
                let mails = self.page(page)
                read += mails.count
                choice.take(mails)
            }
            return (choice.chosen.map { mails[Int($0.entry.rawValue)] }, read)
        }
    }

    /// The choice over pages that have the first mails of each of three shards.
    private static func chosen(
        of queue: Queue,
        limit: Int,
        perShard first: Int,
        shard: (Mail) -> Int
    ) -> [Mail] {
        let shards = (0..<3).map { number in
            Queue(mails: queue.mails.filter { shard($0) == number })
        }
        var choice = FairChoice(limit: limit)
        var perShard = first
        while let page = choice.next {
            let found = shards.enumerated().flatMap { number, queue in
                queue.later(than: page).prefix(perShard).map { (mail: $0, shard: number) }
            }
            let whole = WholePage(
                found.sorted { $0.mail.position < $1.mail.position },
                perShard: perShard
            )
            choice.take(whole.mails, isLast: !whole.hasMore)
            perShard *= 2
        }
        return choice.chosen.compactMap { mail in
            queue.mails.first { $0.number == Int(mail.entry.rawValue) }
        }
    }

    /// Every queue of up to so many mails, new or tried, of two mailboxes or of none.
    private static func queues(upTo count: Int) -> [Queue] {
        var queues: [[Mail]] = [[]]
        var last = queues
        for number in 0..<count {
            last = last.flatMap { mails in
                [true, false].flatMap { isTried in
                    [nil, 1, 2].map { mailbox in
                        mails + [Mail(number: number, isTried: isTried, mailbox: mailbox)]
                    }
                }
            }
            queues += last
        }
        return queues.map(Queue.init)
    }

    /// The rule that a choice breaks; `nil` for none.
    private func brokenRule(of chosen: [Mail], in queue: Queue, limit: Int) -> String? {
        guard Set(chosen).count == chosen.count, chosen.count <= limit else { return "once" }
        for isTried in [true, false] {
            let ofAge = chosen.filter { $0.isTried == isTried }
            let numbers = ofAge.map(\.number)
            guard numbers == numbers.sorted() else { return "the earliest first" }
            for mailbox: UInt8 in 1...2 where ofAge.count(where: { $0.mailbox == mailbox }) > 2 {
                return "the share of a mailbox"
            }
            for mail in queue.mails where mail.isTried == isTried && !chosen.contains(mail) {
                let ofMailbox = ofAge.filter { $0.mailbox == mail.mailbox }
                guard chosen.count == limit || mail.mailbox != nil && ofMailbox.count == 2 else {
                    return "no mail stays behind for nothing"
                }
                guard !ofMailbox.contains(where: { $0.number > mail.number }) else {
                    return "the earliest of a mailbox"
                }
            }
        }
        // Of every beginning, both ages have the half, as far as there are so many.
        let tried = chosen.count { $0.isTried }
        for length in 0...chosen.count {
            let count = chosen.prefix(length).count { $0.isTried }
            guard count >= min((length + 1) / 2, tried),
                length - count >= min(length / 2, chosen.count - tried)
            else { return "turns" }
        }
        return nil
    }

    @Test("takes turns, the earliest first, and of no mailbox more than its share")
    func rules() {
        for queue in Self.queues(upTo: 5) {
            for limit in 0...5 {
                let chosen = queue.choice(limit: limit).chosen
                let broken = brokenRule(of: chosen, in: queue, limit: limit)
                if let broken { Issue.record("\(broken): \(limit) of \(queue.mails)") }
            }
        }
    }

    @Test("is the same however long the pages are, and reads no mail twice")
    func pages() {
        for queue in Self.queues(upTo: 5) {
            for limit in 1...4 {
                let whole = queue.choice(limit: limit, laterPage: 9)
                for page in 1...3 {
                    let paged = queue.choice(limit: limit, laterPage: page)
                    guard paged.chosen != whole.chosen || paged.read > queue.mails.count else {
                        continue
                    }
                    Issue.record("pages of \(page): \(limit) of \(queue.mails)")
                }
            }
        }
    }

    @Test("is the same when the first mails of each shard are read")
    func shards() {
        for queue in Self.queues(upTo: 5) {
            for limit in 1...4 {
                let whole = queue.choice(limit: limit).chosen
                for perShard in 1...2 {
                    // A mailbox is in one shard, or has an account in each.
                    let byMailbox = Self.chosen(of: queue, limit: limit, perShard: perShard) {
                        Int($0.mailbox ?? 0)
                    }
                    let byNumber = Self.chosen(of: queue, limit: limit, perShard: perShard) {
                        $0.number % 3
                    }
                    guard byMailbox != whole || byNumber != whole else { continue }
                    Issue.record("\(perShard) of each: \(limit) of \(queue.mails)")
                }
            }
        }
    }

    @Test("reads no mail of a mailbox that has its share, and finds the others within the search")
    func search() {
        let many = (0..<100).map { Mail(number: $0, isTried: false, mailbox: 1) }
        let last = Queue(mails: many + [Mail(number: 100, isTried: false, mailbox: 2)])
        let found = last.choice(limit: 3, laterPage: 8)
        #expect(found.chosen.map(\.number) == [0, 1, 100])
        #expect(found.read == 4)
        let tooFar = last.choice(limit: 3, longestSearch: 100, laterPage: 8)
        #expect(tooFar.chosen.map(\.number) == [0, 1])
    }

    @Test("reads the mails of more mailboxes than can be left out, and stays within the search")
    func manyMailboxes() {
        let mails = (0..<250).map {
            Mail(number: $0, isTried: false, mailbox: UInt8(1 + $0 % 20))
        }
        let choice = Queue(mails: mails).choice(limit: 41, longestSearch: 120, laterPage: 8)
        #expect(choice.chosen.map(\.number) == Array(0..<40))
        #expect(choice.read <= 120 + 8)
    }

    @Test(
        "a mail belongs to its part, whatever the relay's clock says",
        arguments: [0, 1, 900_000_000_000, 1 << 40, 1_800_000_000_000, 4_000_000_000_000] as [Int64]
    )
    func partUnderAnyClock(time: Int64) {
        let time = WallTime(millisecondsSinceEpoch: time)
        for random: (UInt64, UInt64) in [(0, 0), (.max, .max)] {
            let new = OperationID(time: time, random: random)
            for part in MailPart.allCases {
                let id = part.identifier(from: new)
                for other in MailPart.allCases { #expect(other.contains(id) == (other == part)) }
            }
        }
    }

    @Test("of a part is whole: each identifier belongs to one part, and a part has its bounds")
    func parts() {
        let time = WallTime(millisecondsSinceEpoch: 1_800_000_000_000)
        let memo = OperationID(time: time, random: (1, 2))
        #expect(MailPart.memos.identifier(from: memo) == memo)
        for part in MailPart.allCases {
            let id = part.identifier(from: memo)
            for other in MailPart.allCases { #expect(other.contains(id) == (other == part)) }
            let isWithin =
                part.bounds.above.lexicographicallyPrecedes(id.bytes)
                && !part.bounds.last.lexicographicallyPrecedes(id.bytes)
            #expect(isWithin && part.time(of: id) == time)
        }
    }
}
