import OutboxCore
import StoreCore
import SyncCore
import SyncWorlds
import Testing

/// The records that a machine holds, and those that it has handed out.
@Suite("Held records", .timeLimit(.minutes(60)))
struct HeldRecordsTests {
    private typealias Machine = SyncMachine<WorldRules, NoIndexes<ShownRecord>>

    private let now = WallTime(millisecondsSinceEpoch: 1)

    private func row(_ id: [UInt8], version: UInt64, isDeleted: Bool = false) -> Row {
        let stamp = Stamp(
            time: now,
            id: ChangeID(number: version, node: NodeID(high: 2, low: 2))
        )
        return Row(
            key: RecordKey(kind: [0], id: id),
            version: version,
            fields: isDeleted
                ? [] : [Field(name: WorldRules.a, value: [UInt8(version & 0x7F)], stamp: stamp)],
            deletion: isDeleted ? stamp : nil
        )
    }

    @discardableResult
    private func pull(_ rows: [Row], into machine: inout Machine) -> [SyncEffect] {
        for effect in machine.handle(.woken) {
            guard case .pull(let request) = effect else { continue }
            return machine.handle(
                .pulled(
                    request: request.number,
                    .page(rows, cursor: [1], hasMore: false),
                    serverTime: now
                )
            )
        }
        return []
    }

    @Test("a record is found until it is removed, whatever else comes and goes", arguments: 1...20)
    func model(seed: UInt64) {
        var machine = Machine(node: NodeID(high: 1, low: 1), rules: WorldRules())
        var expected: [[UInt8]: UInt64] = [:]
        var state = seed
        for version in UInt64(1)...600 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let id = [UInt8(state >> 33 & 0x3F)]
            let isDeleted = state >> 60 < 6
            pull([row(id, version: version, isDeleted: isDeleted)], into: &machine)
            expected[id] = isDeleted ? nil : version
            for number in UInt8(0)..<64 {
                let record = machine.record(RecordKey(kind: [0], id: [number]))
                #expect(record?.base?.version == expected[[number]])
            }
            #expect(machine.stored.count == expected.count)
            #expect(machine.shown.count == expected.count)
        }
    }

    @Test("a record and a change that were handed out stay as they were")
    func handedOut() throws {
        var lab = Lab()
        let key = lab.create(["a": [1]])
        let record = try #require(lab.machine().record(key))
        let change = try #require(record.changes.first)
        let bytes = record.encoded()
        let copy = lab.machine()
        lab.settle()
        lab.sync()
        #expect(lab.word(key) == .confirmed)
        #expect(record.encoded() == bytes)
        #expect(change.state == .sending)
        #expect(copy.record(key)?.encoded() == bytes)
        #expect(copy.shown[EntityID(key)]?.word == .sending)
    }

    @Test("a record that was handed out without changes stays as it was")
    func handedOutRow() throws {
        var machine = Machine(node: NodeID(high: 1, low: 1), rules: WorldRules())
        pull([row([1], version: 1), row([2], version: 2)], into: &machine)
        let key = RecordKey(kind: [0], id: [1])
        let record = try #require(machine.record(key))
        let all = machine.stored
        let copy = machine
        pull([row([1], version: 3), row([2], version: 4)], into: &machine)
        #expect(machine.record(key)?.base?.version == 3)
        #expect(record.base?.version == 1)
        #expect(all.compactMap { $0.base?.version }.sorted() == [1, 2])
        #expect(copy.stored.compactMap { $0.base?.version }.sorted() == [1, 2])
        #expect(copy.shown[EntityID(key)]?.fields == row([1], version: 1).fields)
    }

    @Test("a change that was handed out without its record stays as it was")
    func handedOutChange() throws {
        var lab = Lab()
        let key = lab.create(["a": [1]])
        let change = try #require(lab.machine().record(key)?.changes.first)
        lab.settle()
        #expect(change.state == .sending)
    }

    @Test("a machine of stored records leaves them alone")
    func given() throws {
        var lab = Lab()
        let key = lab.create(["a": [1]])
        let records = lab.machine().stored
        let machine = Machine(meta: lab.machine().meta, records: records, rules: WorldRules())
        #expect(machine.record(key)?.changes.first?.state == .unknown)
        #expect(records.first?.changes.first?.state == .sending)
    }

    @Test("rows that are held already are not stored again")
    func noNews() {
        var machine = Machine(node: NodeID(high: 1, low: 1), rules: WorldRules())
        let rows = [row([1], version: 1), row([2], version: 2)]
        for number in 0..<3 {
            for effect in pull(rows, into: &machine) {
                if case .store(let keys) = effect { #expect(keys.count == (number == 0 ? 2 : 0)) }
            }
        }
    }

    @Test("bytes that end early, go on or contradict themselves are refused")
    func malformed() throws {
        var lab = Lab()
        let key = lab.create(["a": [1], "b": [2]])
        let refused = lab.create(["a": [0xFF]])
        lab.settle()
        lab.update(key, ["a": [3]])
        for name in [lab.machine().name(key), refused] {
            let bytes = try #require(lab.machine().record(name)?.encoded())
            #expect(try SyncRecord(decoding: bytes).encoded() == bytes)
            for count in bytes.indices {
                #expect(throws: SyncFormatError.self) {
                    try SyncRecord(decoding: Array(bytes[..<count]))
                }
            }
            #expect(throws: SyncFormatError.malformed) { try SyncRecord(decoding: bytes + [0]) }
            #expect(throws: SyncFormatError.unsupportedVersion) {
                try SyncRecord(decoding: [2] + bytes.dropFirst())
            }
        }
        let meta = lab.machine().meta.encoded()
        #expect(try SyncMeta(decoding: meta).encoded() == meta)
        for count in meta.indices {
            #expect(throws: SyncFormatError.self) { try SyncMeta(decoding: Array(meta[..<count])) }
        }
    }
}
