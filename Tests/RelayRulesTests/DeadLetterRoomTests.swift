import OutboxCore
import Testing

@testable import RelayRules

/// Every holding of a few letters by three accounts, under every small allowance.
@Suite("The room of dead letters")
struct DeadLetterRoomTests {
    private typealias Holdings = [[Int]]

    private static func mailbox(_ number: Int) -> MailboxID {
        MailboxID(bits: OperationID(high: 1, low: UInt64(number)))
    }

    /// Every list of up to three letters of one or two bytes.
    private static let lists: [[Int]] = {
        var lists: [[Int]] = [[]]
        var last = lists
        for _ in 1...3 {
            last = last.flatMap { list in [1, 2].map { list + [$0] } }
            lists += last
        }
        return lists
    }()

    private static func holdings() -> [Holdings] {
        lists.flatMap { one in lists.flatMap { two in lists.map { [one, two, $0] } } }
    }

    /// Discards letters as a store does, with transactions of one letter, until nothing is lost any more.
    /// Higher accounts are younger.
    private static func rest(of holdings: Holdings, in room: DeadLetterRoom) -> (Holdings, [Int]) {
        var holdings = holdings
        var losers: [Int] = []
        while true {
            let held = holdings.enumerated().map { (number: $0, bytes: $1.reduce(0, +)) }
                .filter { $0.bytes > 0 }
                .sorted { ($0.bytes, $0.number) > ($1.bytes, $1.number) }
            let total = DeadLetterRoom.Total(
                bytes: held.reduce(0) { $0 + $1.bytes },
                holders: held.count
            )
            let heaviest = held.map {
                DeadLetterRoom.Holding(mailbox: mailbox($0.number), bytes: $0.bytes)
            }
            guard let loss = room.losses(of: heaviest, total: total).first else {
                return (holdings, losers)
            }
            let loser = held[0].number
            let first = DeadLetterRoom.Letter(
                entry: EntryID(rawValue: 1),
                bytes: holdings[loser][0]
            )
            guard loss.chosen(among: [first], held: held[0].bytes) == [first] else {
                return (holdings, losers + [-1])
            }
            holdings[loser].removeFirst()
            losers.append(loser)
        }
    }

    @Test("is kept, and within its share an account loses nothing, for every small holding")
    func everyHolding() {
        for allowance in 0...8 {
            let room = DeadLetterRoom(allowance: allowance)
            for before in Self.holdings() {
                let (after, losers) = Self.rest(of: before, in: room)
                let total = after.joined().reduce(0, +)
                #expect(total <= allowance, "\(before) in \(allowance)")
                #expect(!losers.contains(-1), "a loss of nothing: \(before) in \(allowance)")
                if before.joined().reduce(0, +) <= allowance { #expect(after == before) }
                let holders = before.count { !$0.isEmpty }
                guard holders > 0 else { continue }
                for (number, letters) in before.enumerated()
                where letters.reduce(0, +) <= allowance / holders {
                    #expect(after[number] == letters, "\(before) in \(allowance)")
                }
            }
        }
    }

    @Test(
        "is made by the account that holds most, by the youngest of several, and by its first letters"
    )
    func order() {
        let room = DeadLetterRoom(allowance: 6)
        let (after, losers) = Self.rest(of: [[2, 1], [1, 2], [1, 2]], in: room)
        #expect(losers == [2, 1, 0])
        #expect(after == [[1], [2], [2]])
        let heaviest = [(1, 9), (2, 8), (3, 1)].map {
            DeadLetterRoom.Holding(mailbox: Self.mailbox($0), bytes: $1)
        }
        let losses = room.losses(
            of: heaviest,
            total: DeadLetterRoom.Total(bytes: 18, holders: 3)
        )
        #expect(losses.map(\.mailbox) == [Self.mailbox(1), Self.mailbox(2)])
        #expect(losses.map(\.bytes) == [7, 5])
        #expect(losses.map(\.share) == [2, 2])
    }

    @Test("ends a loss at the share, although more bytes were to be made free")
    func share() {
        let letters = (1...4).map { DeadLetterRoom.Letter(entry: EntryID(rawValue: $0), bytes: 2) }
        let loss = DeadLetterRoom.Loss(mailbox: nil, share: 4, bytes: 8)
        #expect(loss.chosen(among: letters, held: 8).map(\.entry.rawValue) == [1, 2])
        #expect(loss.chosen(among: letters, held: 4).isEmpty)
        let small = DeadLetterRoom.Loss(mailbox: nil, share: 0, bytes: 3)
        #expect(small.chosen(among: letters, held: 8).count == 2)
    }
}
