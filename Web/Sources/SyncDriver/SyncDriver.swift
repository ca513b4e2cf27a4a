import OutboxCore
import StoreCore
import SyncCore

/// The module is a library to its host: `main` does nothing.
@main struct SyncDriver {
    static func main() {}
}

/// The rules of an app: the newer change of a field wins.
struct Rules: SyncRules {
    func policy(for kind: [UInt8]) -> ConflictPolicy { .newerWins }
    func reference(of field: [UInt8], in kind: [UInt8]) -> [UInt8]? { field == [2] ? [0] : nil }
}

/// A record goes its whole way: created under a temporary identifier, changed behind that, accepted,
/// met by another change, refused, tried again, deleted; with a restart in between. Answers 0, or the
/// number of the first expectation that does not hold.
@_expose(wasm, "sync_journey")
@_cdecl("sync_journey")
func syncJourney() -> Int32 {
    do throws(SyncEditError) {
        var journey = Journey()
        return try journey.run()
    } catch {
        return 100
    }
}

private struct Journey {
    private var machine = SyncMachine<Rules, NoIndexes<ShownRecord>>(
        node: NodeID(high: 1, low: 2),
        rules: Rules()
    )
    private let now = WallTime(millisecondsSinceEpoch: 1_800_000_000_000)
    private let temporary = RecordKey(kind: [0], id: [9])
    private let name = RecordKey(kind: [0], id: [1])
    /// The last push, and the number of the last pull.
    private var push: PushRequest?
    private var pull: UInt64 = 0

    mutating func run() throws(SyncEditError) -> Int32 {
        send(try machine.create(temporary, [field(1)], now: now))
        guard push?.stamp.id.number == 1 else { return 1 }
        send(try machine.update(temporary, [field(2)], now: now))
        guard push == nil, machine.pendingCount == 2 else { return 2 }
        push = nil
        answer(number: 1, .accepted(id: name.id, version: 1, stamp: stamp(1)))
        guard push?.key == name, push?.madeOn == 1 else { return 3 }
        guard word == .sending else { return 4 }
        guard restart() else { return 5 }
        guard word == .unknown else { return 6 }
        send(machine.handle(.woken))
        guard pull == 1 else { return 7 }
        send(
            machine.handle(
                .asked(
                    stamp(2).id,
                    attempt: 0,
                    .conflict(row(7, version: 2, Stamp.zero), stamp: stamp(2)),
                    serverTime: now
                )
            )
        )
        guard push?.madeOn == 2, push?.attempt == 1 else { return 8 }
        answer(number: 2, attempt: 1, .refused(RefusalReason(code: [1]), nil))
        guard machine.entries.count == 1 else { return 9 }
        send(try machine.edit(stamp(2).id, [field(3)], now: now))
        guard push?.stamp.id.number == 3 else { return 10 }
        answer(number: 3, .accepted(id: name.id, version: 3, stamp: stamp(3)))
        send(
            machine.handle(
                .pulled(
                    request: pull,
                    .page([row(3, version: 3, stamp(3))], cursor: [1], hasMore: false),
                    serverTime: now
                )
            )
        )
        guard word == .confirmed else { return 11 }
        send(try machine.delete(name, now: now))
        guard machine.shown.isEmpty else { return 12 }
        send(try machine.put(name, [field(3)], now: now))
        send(machine.handle(.refresh))
        return machine.shown.count == 1 ? 0 : 13
    }

    @inline(never)
    private func field(_ value: UInt8) -> Field { Field(name: [1], value: [value]) }

    @inline(never)
    private func stamp(_ number: UInt64) -> Stamp {
        Stamp(time: now, id: ChangeID(number: number, node: machine.meta.clock.node))
    }

    @inline(never)
    private func row(_ value: UInt8, version: UInt64, _ stamp: Stamp) -> Row {
        Row(
            key: name,
            version: version,
            fields: [Field(name: [1], value: [value], stamp: stamp)],
            createdAs: temporary.id
        )
    }

    @inline(never)
    private mutating func answer(number: UInt64, attempt: UInt32 = 0, _ answer: PushAnswer) {
        let id = stamp(number).id
        send(machine.handle(.answered(id, attempt: attempt, answer, serverTime: now)))
    }

    @inline(never)
    private var word: RecordWord? { machine.shown[EntityID(name)]?.word }

    @inline(never)
    private mutating func send(_ effects: [SyncEffect]) {
        push = nil
        for effect in effects {
            switch effect {
            case .push(let request): push = request
            case .pull(let request): pull = request.number
            default: break
            }
        }
    }

    /// The process ends, and begins anew with what is stored.
    @inline(never)
    private mutating func restart() -> Bool {
        do throws(SyncFormatError) {
            var records: [SyncRecord] = []
            for record in machine.stored {
                records.append(try SyncRecord(decoding: record.encoded()))
            }
            pull = 0
            machine = SyncMachine(
                meta: try SyncMeta(decoding: machine.meta.encoded()),
                records: records,
                rules: Rules()
            )
            return true
        } catch {
            return false
        }
    }
}
