import OutboxCore
import OutboxTesting
import StoreCore
import SyncCore
import Testing

/// Rules that leave out what an app does not use change nothing of the rest.
@Suite("Rules without creations and without shown records", .timeLimit(.minutes(60)))
struct LeanRulesTests {
    private struct Whole: SyncRules {
        func policy(for kind: [UInt8]) -> ConflictPolicy { LeanRulesTests.policy(for: kind) }
        func merge(
            _ kind: [UInt8],
            base: [Field],
            mine: [Field],
            theirs: [Field]?
        ) -> [Field]? {
            LeanRulesTests.merge(mine, theirs)
        }
    }

    private struct Lean: SyncRules {
        static var hasCreations: Bool { false }
        static var keepsShown: Bool { false }
        func policy(for kind: [UInt8]) -> ConflictPolicy { LeanRulesTests.policy(for: kind) }
        func merge(
            _ kind: [UInt8],
            base: [Field],
            mine: [Field],
            theirs: [Field]?
        ) -> [Field]? {
            LeanRulesTests.merge(mine, theirs)
        }
    }

    private static func policy(for kind: [UInt8]) -> ConflictPolicy {
        switch kind {
        case [1]: .merge
        case [2]: .clientWins
        case [3]: .newerWins
        case [4]: .manual
        default: .serverWins
        }
    }

    private static func merge(_ mine: [Field], _ theirs: [Field]?) -> [Field]? {
        guard let theirs, mine.count + theirs.count < 4 else { return nil }
        return theirs + mine
    }

    private typealias Machine<Rules: SyncRules> = SyncMachine<Rules, NoIndexes<ShownRecord>>
    private let node = NodeID(high: 1, low: 2)

    /// One thing that happens, drawn for both machines.
    private enum Step {
        case put(RecordKey, [Field])
        case delete(RecordKey)
        case tryAgain(Int)
        case discard(Int)
        case event(SyncEvent)
        case restart
    }

    private func draw(
        _ random: inout SeededRandom,
        _ pushes: [PushRequest],
        _ pull: UInt64,
        _ version: UInt64
    ) -> Step {
        let now = WallTime(millisecondsSinceEpoch: 1_800_000_000_000 + Int64(version))
        let key = RecordKey(
            kind: [UInt8.random(in: 0...4, using: &random)],
            id: [UInt8.random(in: 0...1, using: &random)]
        )
        func fields(_ random: inout SeededRandom) -> [Field] {
            (0..<Int.random(in: 1...2, using: &random)).map { _ in
                Field(
                    name: [UInt8.random(in: 0...2, using: &random)],
                    value: [UInt8.random(in: 0...3, using: &random)],
                    stamp: Stamp(
                        time: now,
                        id: ChangeID(number: version, node: NodeID(high: 9, low: 9))
                    )
                )
            }
        }
        func row(_ key: RecordKey, _ random: inout SeededRandom) -> Row {
            let isGone = Int.random(in: 0..<4, using: &random) == 0
            return Row(
                key: key,
                version: version,
                fields: isGone ? [] : fields(&random),
                deletion: isGone ? .zero : nil
            )
        }
        switch Int.random(in: 0..<12, using: &random) {
        case 0, 1, 2: return .put(key, fields(&random))
        case 3: return .delete(key)
        case 4: return .tryAgain(Int.random(in: 0..<3, using: &random))
        case 5: return .discard(Int.random(in: 0..<3, using: &random))
        case 6: return .event(.woken)
        case 7:
            let page = PullAnswer.page(
                [row(key, &random)],
                cursor: [UInt8(truncatingIfNeeded: version)],
                hasMore: Bool.random(using: &random)
            )
            return .event(.pulled(request: pull, page, serverTime: now))
        case 8:
            return .event(.pulled(request: pull, .cursorForgotten, serverTime: now))
        case 9: return .restart
        default:
            guard let push = pushes.randomElement(using: &random) else { return .event(.refresh) }
            let answer: PushAnswer =
                switch Int.random(in: 0..<4, using: &random) {
                case 0: .accepted(id: push.key.id, version: version, stamp: push.stamp)
                case 1: .conflict(row(push.key, &random), stamp: push.stamp)
                case 2: .refused("no", nil)
                default: .newNode
                }
            return .event(
                .answered(push.stamp.id, attempt: push.attempt, answer, serverTime: now)
            )
        }
    }

    private func perform<Rules>(
        _ step: Step,
        on machine: inout Machine<Rules>,
        at now: WallTime
    ) -> [SyncEffect] {
        do throws(SyncEditError) {
            switch step {
            case .put(let key, let fields): return try machine.put(key, fields.values, now: now)
            case .delete(let key): return try machine.delete(key, now: now)
            case .tryAgain(let number):
                let entries = machine.entries
                guard number < entries.count else { return [] }
                return try machine.tryAgain(entries[number].change.id, now: now)
            case .discard(let number):
                let entries = machine.entries
                guard number < entries.count else { return [] }
                return try machine.discard(entries[number].change.id)
            case .event(let event): return machine.handle(event)
            case .restart:
                return []
            }
        } catch {
            return []
        }
    }

    private func restarted<Rules>(_ machine: Machine<Rules>) throws -> Machine<Rules> {
        Machine(
            meta: try SyncMeta(decoding: machine.meta.encoded()),
            records: try machine.stored.map { try SyncRecord(decoding: $0.encoded()) },
            rules: machine.rules
        )
    }

    private func bytes<Rules>(_ machine: Machine<Rules>) -> [[UInt8]] {
        machine.stored.sorted { $0.key < $1.key }.map { $0.encoded() }
            + [machine.meta.encoded()]
    }

    @Test("a machine with lean rules does what one with all parts does", arguments: 1...12)
    func same(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var whole = Machine<Whole>(node: node, rules: Whole())
        var lean = Machine<Lean>(node: node, rules: Lean())
        var pushes: [PushRequest] = []
        var pull: UInt64 = 0
        for version in UInt64(1)...400 {
            let now = WallTime(millisecondsSinceEpoch: 1_800_000_000_000 + Int64(version))
            let step = draw(&random, pushes, pull, version)
            if case .restart = step {
                whole = try restarted(whole)
                lean = try restarted(lean)
            }
            let effects = perform(step, on: &whole, at: now)
            #expect(perform(step, on: &lean, at: now) == effects, "seed \(seed), \(version)")
            for effect in effects {
                switch effect {
                case .push(let request): pushes.append(request)
                case .pull(let request): pull = request.number
                case .makeNode:
                    let event = SyncEvent.nodeMade(NodeID(high: version, low: 1))
                    #expect(whole.handle(event) == lean.handle(event))
                default: break
                }
            }
            #expect(bytes(whole) == bytes(lean), "seed \(seed), \(version)")
            #expect(lean.shown.isEmpty)
            for view in whole.shown {
                let record = lean.record(view.key)
                #expect(record?.fields == view.fields && record?.word == view.word)
            }
            #expect(lean.changed.map { $0.key } == whole.changed.map { $0.key })
        }
        #expect(!pushes.isEmpty && !whole.shown.isEmpty)
    }
}
