import Foundation
import Outbox
import OutboxCore
import OutboxFiles
import OutboxLedger
import OutboxTesting
import Synchronization
import TemporaryFolders
import Testing

@Suite(.timeLimit(.minutes(60))) struct FailureTests {
    /// Counts operations down and fails the one at zero, and for ever after if asked to.
    private final class Countdown: Sendable {
        private let state: Mutex<(remaining: Int, isOver: Bool, failures: Int)>
        private let error: FileError
        private let isForEver: Bool

        init(from number: Int, error: FileError, isForEver: Bool) {
            state = Mutex((number, false, 0))
            self.error = error
            self.isForEver = isForEver
        }

        var failures: Int { state.withLock { $0.failures } }

        func stop() { state.withLock { $0.isOver = true } }

        func pass() throws(FileError) -> Bool {
            let fails = state.withLock { state in
                guard !state.isOver else { return false }
                state.remaining -= 1
                let fails = state.remaining == 0 || isForEver && state.remaining < 0
                if fails { state.failures += 1 }
                return fails
            }
            if fails { throw error }
            return true
        }
    }

    @Test(
        "whichever operation fails, once or from then on, no promise is broken",
        arguments: [EIO, ENOSPC, EINTR],
        [false, true]
    )
    func countdown(code: Int32, isForEver: Bool) throws {
        let share = SearchShare()
        var (number, thrown, verdict) = (share.first + 1 - share.stride, 0, Verdict())
        while true {
            number += share.stride
            let countdown = Countdown(
                from: number,
                error: FileError(code: code),
                isForEver: isForEver
            )
            let disk = SimulatedDisk.prepared()
            let scenario = FileScenario(failing: isForEver ? .forEver : .once)
            let files = InterposedFiles(disk) { _ throws(FileError) in try countdown.pass() }
            do {
                let outbox = try FileScenario.open(files)
                for step in scenario.steps {
                    do { try step(outbox) } catch { thrown += 1 }
                }
                countdown.stop()
                var live = try FileScenario.inspect(outbox, scenario.ledger.promises)
                // A file that could not be read counts as quarantined until the store is reopened.
                if code == EIO { live.misplaced = 0 }
                verdict += live
            } catch is StorageError {
                thrown += 1
            }
            countdown.stop()
            // What was promised although a sync had failed would be gone now.
            let worst = SimulatedDisk(CrashStates(disk.content).worst)
            verdict += try FileScenario.inspect(
                try FileScenario.open(worst),
                scenario.ledger.promises,
                afterPowerCut: true
            )
            let outbox = try FileScenario.open(disk)
            verdict += try FileScenario.inspect(outbox, scenario.ledger.promises)
            #expect(try disk.names(in: FileScenario.folder + "/temporary").isEmpty)
            try outbox.enqueue(kind: "note", payload: [1])
            if countdown.failures == 0 { break }
        }
        print(
            """
            countdown: errno \(code) \(isForEver ? "for ever" : "once"): up to operation \(number - 1), \
            \(share), \(thrown) steps refused, \(verdict)
            """
        )
        #expect(number > 300)
        #expect(verdict.isClean, "\(share): \(verdict)")
        // What was only interrupted goes on.
        if code == EINTR, !isForEver { #expect(thrown == 0) }
    }

    @Test(
        "an error of the disk has a name",
        arguments: [
            (ENOSPC, StorageError.diskFull), (EDQUOT, .diskFull), (EROFS, .readOnly),
            (EACCES, .readOnly), (EIO, .failed(code: EIO)),
        ]
    )
    func named(code: Int32, error: StorageError) throws {
        let disk = SimulatedDisk.prepared()
        let isBroken = Flag()
        let outbox = try FileScenario.open(
            InterposedFiles(disk) { operation throws(FileError) in
                if isBroken.isSet, operation == .open(.new) || operation == .write {
                    throw FileError(code: code)
                }
                return true
            }
        )
        let id = try outbox.enqueue(kind: "note", payload: [1])
        isBroken.set(true)
        #expect(throws: error) { try outbox.enqueue(kind: "note", payload: [2]) }
        #expect(try outbox.counts().queued == 1)
        #expect(try disk.names(in: FileScenario.folder + "/temporary").isEmpty)
        try outbox.storage.settle(.remove, for: id)
        #expect(try outbox.counts().queued == 0)
        isBroken.set(false)
        try outbox.enqueue(kind: "note", payload: [2])
        #expect(try outbox.counts().queued == 1)
    }

    @Test("a file that cannot be read holds up no other, and is back when it can be read again")
    func unreadableFile() throws {
        let disk = SimulatedDisk.prepared()
        let ids = try (0..<3).map {
            try FileScenario.open(disk).enqueue(kind: "note", payload: [UInt8($0)])
        }
        let opened = Mutex(0)
        let outbox = try FileScenario.open(
            InterposedFiles(disk) { operation throws(FileError) in
                guard case .length = operation else { return true }
                let number = opened.withLock { opened in
                    opened += 1
                    return opened
                }
                if number == 2 { throw FileError(code: EIO) }
                return true
            }
        )
        let eligible = try outbox.storage.eligible(at: ScenarioWorld.now, limit: 9).entries
        #expect(Set(eligible.compactMap(\.operationID)).isSubset(of: ids) && eligible.count == 2)
        #expect(try outbox.counts() == OutboxCounts(queued: 2, quarantined: 1))
        let lost = try #require(try outbox.entries(in: .quarantined).first?.id)
        try outbox.retry(lost)
        #expect(try outbox.counts() == OutboxCounts(queued: 3))
    }

    @Test("what cannot be quarantined on the disk does not hold up the queue")
    func quarantineOnFullDisk() throws {
        let disk = SimulatedDisk.prepared()
        let isBroken = Flag()
        let outbox = try FileScenario.open(
            InterposedFiles(disk) { operation throws(FileError) in
                if isBroken.isSet, operation == .write { throw FileError(code: ENOSPC) }
                return true
            }
        )
        for number in 0..<2 { try outbox.enqueue(kind: "note", payload: [UInt8(number)]) }
        let first = try outbox.storage.eligible(at: ScenarioWorld.now, limit: 1).entries[0]
        isBroken.set(true)
        try outbox.storage.quarantine(first.id, reason: .unknownKey, as: nil)
        #expect(try outbox.storage.eligible(at: ScenarioWorld.now, limit: 9).entries.count == 1)
        #expect(try outbox.counts() == OutboxCounts(queued: 1, quarantined: 1))
        #expect(try outbox.entries(in: .quarantined).map(\.quarantineReason) == [.unknownKey])
        #expect(try FileScenario.open(disk).counts() == OutboxCounts(queued: 2))
    }

    @Test("an insert that was delivered before its folder failed to sync is not asked for again")
    func deliveredMeanwhile() throws {
        let disk = SimulatedDisk.prepared()
        let other = try FileStorage(folder: FileScenario.folder, system: disk)
        let isBroken = Flag()
        let outbox = try FileScenario.open(
            InterposedFiles(disk) { operation throws(FileError) in
                guard isBroken.isSet, operation == .syncFolder else { return true }
                isBroken.set(false)
                for entry in (try? other.eligible(at: ScenarioWorld.now, limit: 9).entries) ?? [] {
                    try? other.settle(.remove, for: entry.operationID!)
                }
                throw FileError(code: EIO)
            }
        )
        try outbox.storage.markUsed()
        isBroken.set(true)
        try outbox.enqueue(kind: "note", payload: [1])
        #expect(!isBroken.isSet)
        #expect(try outbox.counts() == OutboxCounts())
    }

    @Test("of two operations of which one was delivered meanwhile, the other is asked for again")
    func partlyDeliveredMeanwhile() throws {
        let disk = SimulatedDisk.prepared()
        let other = try FileStorage(folder: FileScenario.folder, system: disk)
        let (isBroken, isDelivering) = (Flag(), Flag())
        let outbox = try FileScenario.open(
            InterposedFiles(disk) { operation throws(FileError) in
                guard isBroken.isSet, operation == .syncFolder else { return true }
                if isDelivering.isSet {
                    isDelivering.set(false)
                    for entry in (try? other.eligible(at: ScenarioWorld.now, limit: 1).entries)
                        ?? []
                    {
                        try? other.settle(.remove, for: entry.operationID!)
                    }
                }
                throw FileError(code: EIO)
            }
        )
        let operations = try (1...2).map { number in
            try outbox.seal(
                kind: "note",
                payload: [UInt8(number)],
                id: OperationID(time: ScenarioWorld.now, random: (0, UInt64(number)))
            )
        }
        let error = StorageError.failed(code: EIO)
        isBroken.set(true)
        isDelivering.set(true)
        #expect(throws: error) { try outbox.storage.insert(operations) }
        #expect(!isDelivering.isSet)
        #expect(try outbox.counts() == OutboxCounts())
        // What a group commit does next: each of them alone, on a disk that is still broken.
        try outbox.storage.insert([operations[0]])
        #expect(throws: error) { try outbox.storage.insert([operations[1]]) }
        #expect(try outbox.counts() == OutboxCounts())
        isBroken.set(false)
        try outbox.storage.insert([operations[1]])
        #expect(try outbox.open(operations[1].envelope.id).payload == [2])
        #expect(try outbox.counts() == OutboxCounts(queued: 1))
        // Its answer was given: the identifier is as free as that of any delivered operation.
        try outbox.storage.insert([operations[0]])
        #expect(try outbox.counts() == OutboxCounts(queued: 2))
    }

    @Test("when a file of several cannot be named, those before it go under the same lock")
    func takenBackUnderLock() throws {
        let disk = SimulatedDisk.prepared()
        let watcher = try FileStorage(folder: FileScenario.folder, system: disk, patience: 1)
        #expect(try watcher.counts() == OutboxCounts())
        let (isBroken, wasRemoved) = (Flag(), Flag())
        let lock = try disk.open(FileScenario.folder + "/lock", for: .shared)
        let ids = (1...3).map { OperationID(time: ScenarioWorld.now, random: (0, UInt64($0))) }
        let outbox = try FileScenario.open(
            InterposedFiles(disk) { operation throws(FileError) in
                guard isBroken.isSet else { return true }
                if case .rename(let path) = operation, path.hasSuffix(ids[2].description) {
                    throw FileError(code: EIO)
                }
                if case .remove(let path) = operation, path.contains("/operations/") {
                    wasRemoved.set(true)
                    let isLocked = try !disk.tryLock(lock)
                    if !isLocked { disk.unlock(lock) }
                    #expect(isLocked, "a name disappears only under the lock")
                }
                return true
            }
        )
        let operations = try ids.map { try outbox.seal(kind: "note", payload: [1], id: $0) }
        #expect(try outbox.counts() == OutboxCounts())
        isBroken.set(true)
        #expect(throws: StorageError.failed(code: EIO)) { try outbox.storage.insert(operations) }
        #expect(wasRemoved.isSet)
        for storage in [watcher, outbox.storage] {
            #expect(try storage.counts() == OutboxCounts())
        }
        #expect(try disk.names(in: FileScenario.folder + "/operations").isEmpty)
        #expect(try disk.names(in: FileScenario.folder + "/temporary").isEmpty)
        isBroken.set(false)
        try outbox.storage.insert(operations)
        #expect(try watcher.counts() == OutboxCounts(queued: 3))
    }

    private static var damage: [Int32] {
        #if os(Linux)
            [EIO, EBADMSG, EOVERFLOW, EUCLEAN]
        #else
            [EIO, EBADMSG, EOVERFLOW]
        #endif
    }

    @Test(
        "a file of which the disk says that it is damaged holds up no other",
        arguments: FailureTests.damage
    )
    func damagedFile(code: Int32) throws {
        let disk = SimulatedDisk.prepared()
        try FileScenario.open(disk).enqueue(kind: "note", payload: [1])
        let outbox = try FileScenario.open(
            InterposedFiles(disk) { operation throws(FileError) in
                if case .length = operation { throw FileError(code: code) }
                return true
            }
        )
        #expect(try outbox.counts() == OutboxCounts(quarantined: 1))
        #expect(try outbox.entries(in: .quarantined).map(\.quarantineReason) == [.record])
    }
}

/// Something that a test switches on and off.
final class Flag: Sendable {
    private let value = Mutex(false)

    var isSet: Bool { value.withLock { $0 } }

    func set(_ newValue: Bool) { value.withLock { $0 = newValue } }
}
