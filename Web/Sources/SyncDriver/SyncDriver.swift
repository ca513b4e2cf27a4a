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

typealias Machine = SyncMachine<Rules, NoIndexes<ShownRecord>>

/// A record goes its whole way: created under a temporary identifier, changed behind that, accepted,
/// met by another change, refused, tried again, deleted; with a restart in between. Answers 0, or the
/// number of the first expectation that does not hold.
@_expose(wasm, "sync_journey")
@_cdecl("sync_journey")
func syncJourney() -> Int32 {
    var machine = Machine(node: NodeID(high: 1, low: 2), rules: Rules())
    do throws(SyncEditError) {
        return try journey(&machine)
    } catch {
        return 100
    }
}

private func journey(_ machine: inout Machine) throws(SyncEditError) -> Int32 {
    let now = WallTime(millisecondsSinceEpoch: 1_800_000_000_000)
    let temporary = RecordKey(kind: [0], id: [9, 9, 9])
    let name = RecordKey(kind: [0], id: [1])
    var effects = try machine.create(temporary, [FieldValue(name: [1], value: [1])], now: now)
    guard let first = pushed(effects) else { return 1 }
    effects = try machine.update(temporary, [FieldValue(name: [1], value: [2])], now: now)
    guard pushed(effects) == nil, machine.pendingCount == 2 else { return 2 }
    effects = machine.handle(
        .answered(
            first.stamp.id,
            attempt: 0,
            .accepted(id: [1], version: 1, stamp: first.stamp),
            serverTime: now
        )
    )
    guard let second = pushed(effects), second.key == name, second.madeOn == 1 else { return 3 }
    guard machine.shown[EntityID(name)]?.word == .sending else { return 4 }
    guard let restored = restarted(machine) else { return 5 }
    machine = restored
    guard machine.shown[EntityID(name)]?.word == .unknown else { return 6 }
    effects = machine.handle(.woken)
    guard let request = pulled(effects) else { return 7 }
    let other = Stamp(
        time: WallTime(millisecondsSinceEpoch: 1),
        id: ChangeID(number: 1, node: NodeID(high: 3, low: 4))
    )
    let row = Row(
        key: name,
        version: 2,
        fields: [Field(name: [1], value: [7], stamp: other)],
        createdAs: temporary.id
    )
    effects = machine.handle(
        .asked(second.stamp.id, attempt: 0, .conflict(row, stamp: second.stamp), serverTime: now)
    )
    guard let third = pushed(effects), third.madeOn == 2, third.attempt == 1 else { return 8 }
    effects = machine.handle(
        .answered(
            third.stamp.id,
            attempt: 1,
            .refused(RefusalReason(code: [1]), nil),
            serverTime: now
        )
    )
    guard machine.entries.count == 1 else { return 9 }
    effects = try machine.edit(third.stamp.id, [FieldValue(name: [1], value: [3])], now: now)
    guard let fourth = pushed(effects) else { return 10 }
    _ = machine.handle(
        .answered(
            fourth.stamp.id,
            attempt: 0,
            .accepted(id: [1], version: 3, stamp: fourth.stamp),
            serverTime: now
        )
    )
    let echo = Row(
        key: name,
        version: 3,
        fields: [Field(name: [1], value: [3], stamp: fourth.stamp)],
        createdAs: temporary.id
    )
    _ = machine.handle(
        .pulled(request: request, .page([echo], cursor: [1], hasMore: false), serverTime: now)
    )
    guard machine.shown[EntityID(name)]?.word == .confirmed else { return 11 }
    _ = try machine.delete(name, now: now)
    guard machine.shown.isEmpty else { return 12 }
    _ = try machine.put(name, [FieldValue(name: [1], value: [3])], now: now)
    _ = machine.handle(.refresh)
    return machine.shown.count == 1 ? 0 : 13
}

private func pushed(_ effects: [SyncEffect]) -> PushRequest? {
    for effect in effects { if case .push(let request) = effect { return request } }
    return nil
}

private func pulled(_ effects: [SyncEffect]) -> UInt64? {
    for effect in effects { if case .pull(let request) = effect { return request.number } }
    return nil
}

private func restarted(_ machine: Machine) -> Machine? {
    var records: [SyncRecord] = []
    for record in machine.stored {
        guard let copy = try? SyncRecord(decoding: record.encoded()) else { return nil }
        records.append(copy)
    }
    guard let meta = try? SyncMeta(decoding: machine.meta.encoded()) else { return nil }
    return Machine(meta: meta, records: records, rules: Rules())
}
