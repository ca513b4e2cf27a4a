import MemoCore
import MemoTexts
import OutboxCore
import Testing

@Suite("The answer to a send")
struct SendAnswerTests {
    /// The whole table: for each account the answers for the ways `open`, `offline`, `unreached`,
    /// `limited` and `blocked`.
    static let table: [AccountStanding: [SendAnswer.Prospect]] = [
        .signedIn: [.leaves, .leavesOnline, .leavesWhenReached, .leavesLater, .kept],
        .signedOut: Array(repeating: .leavesSignedIn, count: 5),
        .codeAsked: Array(repeating: .leavesSignedIn, count: 5),
        .signedOutElsewhere: Array(repeating: .leavesSignedInAgain, count: 5),
        .unknown: Array(repeating: .kept, count: 5),
    ]

    /// A cell of the rule.
    struct Cell: Sendable, CustomTestStringConvertible {
        var account: AccountStanding
        var way: WayOut
        var backlog: Backlog
        var hasUnseenFailure: Bool

        var answer: SendAnswer {
            SendAnswer(
                account: account,
                way: way,
                backlog: backlog,
                hasUnseenFailure: hasUnseenFailure
            )
        }

        var testDescription: String { "\(account) \(way) \(backlog) \(hasUnseenFailure)" }
    }

    static let cells: [Cell] = AccountStanding.allCases.flatMap { account in
        WayOut.allCases.flatMap { way in
            Backlog.allCases.flatMap { backlog in
                [false, true].map {
                    Cell(account: account, way: way, backlog: backlog, hasUnseenFailure: $0)
                }
            }
        }
    }

    @Test("there are 150 cells, and the table has a row for each account")
    func size() {
        #expect(Self.cells.count == 150)
        #expect(Self.table.count == AccountStanding.allCases.count)
        #expect(Self.table.values.allSatisfy { $0.count == WayOut.allCases.count })
    }

    @Test("is what the table says, in every cell", arguments: cells)
    func prospect(cell: Cell) throws {
        let row = try #require(Self.table[cell.account])
        var prospect = row[Int(cell.way.rawValue)]
        if cell.account == .signedIn, cell.way == .open, cell.backlog == .late { prospect = .kept }
        #expect(cell.answer.prospect == prospect)
    }

    @Test("promises an arrival only where nothing is known against it", arguments: cells)
    func promise(cell: Cell) {
        let isFree = cell.account == .signedIn && cell.way == .open && cell.backlog != .late
        #expect((cell.answer.prospect.text == .saved) == isFree)
    }

    @Test("asks for a sign-in exactly where no token is valid", arguments: cells)
    func signIn(cell: Cell) {
        let isDue = [.signedOut, .codeAsked, .signedOutElsewhere].contains(cell.account)
        #expect(cell.answer.prospect.needsSignIn == isDue)
    }

    @Test("adds what nobody has seen, and a long wait whose reason is not said", arguments: cells)
    func additions(cell: Cell) {
        var expected: [SendAnswer.Addition] = []
        if cell.hasUnseenFailure { expected.append(.notArrived) }
        let isSignedIn = cell.account == .signedIn || cell.account == .unknown
        if cell.backlog == .late, isSignedIn { expected.append(.late) }
        #expect(cell.answer.additions == expected)
    }

    @Test("each prospect and each addition has a sentence of its own")
    func sentences() {
        let prospects = Set(SendAnswer.Prospect.allCases.map(\.text))
        #expect(prospects.count == SendAnswer.Prospect.allCases.count)
        let additions = Set(SendAnswer.Addition.allCases.map(\.text))
        #expect(additions.count == SendAnswer.Addition.allCases.count)
        #expect(prospects.isDisjoint(with: additions))
    }

    @Test(
        "the way out follows from the last error",
        arguments: [
            (nil, WayOut.open), ("unauthorized", .open), ("no-handler", .open),
            ("cancelled", .open), ("network.unreachable", .unreached),
            ("network.timed-out", .unreached), ("network.connection-lost", .unreached),
            ("relay.not-our-answer", .unreached), ("relay.untrusted-certificate", .unreached),
            ("relay.http.500", .unreached), ("relay.http.429", .limited),
            ("relay.http.503", .limited), ("account.not-stored", .blocked),
            ("account.not-read", .blocked), ("storage.disk-full", .blocked), ("", .blocked),
        ] as [(String?, WayOut)]
    )
    func way(code: String?, way: WayOut) {
        #expect(WayOut(lastError: code.map { ReasonCode(utf8: Array($0.utf8)) }) == way)
    }
}
