import LibC
import Outbox
import OutboxCore

/// The index's updates from the folder, and the lock of the processes that share the folder.
extension FileStorage {
    private static let millisecond = timespec(tv_sec: 0, tv_nsec: 1_000_000)

    /// Runs `body` under the folder's lock, after the state has taken in all earlier changes.
    func exclusively<Result>(
        _ state: inout State,
        _ body: (inout State) throws -> Result
    ) throws -> Result {
        var waits = 0
        while try !files.tryLock(lock) {
            waits += 1
            guard waits < patience else { throw StorageError.busy }
            var wait = Self.millisecond
            nanosleep(&wait, nil)
        }
        defer { files.unlock(lock) }
        try catchUp(&state)
        return try body(&state)
    }

    /// Tells all processes that these entries are about to change. Call this only under the lock.
    func publish(_ changes: [OperationID], _ state: inout State) throws(FileError) {
        state.seen = try ring.publish(changes, at: state.seen)
    }

    /// Makes the index equal to the folder.
    func refresh(_ state: inout State) throws {
        if state.index != nil, !state.isStale {
            if try ring.sequence() == state.seen { return }
            try exclusively(&state) { _ in }
            if !state.isStale { return }
        }
        try list(&state)
    }

    private func catchUp(_ state: inout State) throws {
        guard let sequence = try ring.sequence() else {
            state.seen = try ring.reset()
            state.isStale = true
            return
        }
        guard state.index != nil, !state.isStale else {
            state.seen = sequence
            return
        }
        guard sequence != state.seen else { return }
        guard let changes = try ring.changes(from: state.seen, to: sequence) else {
            state.seen = sequence
            state.isStale = true
            return
        }
        if changes.contains(ChangeRing.waits) { state.epochs = try readEpochs() }
        var looked: Set<OperationID> = []
        for id in changes where looked.insert(id).inserted { try look(at: .operation(id), &state) }
        if changes.contains(ChangeRing.waits) { state.index?.apply(state.epochs) }
        state.seen = sequence
    }

    /// Reads the whole folder into the index. Entries that the index knows keep their numbers.
    private func list(_ state: inout State) throws {
        // The ring has all changes from here on. They are read once the list is complete.
        try exclusively(&state) { _ in }
        var listed = state
        listed.isStale = false
        listed.epochs = try readEpochs()
        if listed.index == nil { listed.index = QueueIndex() }
        let names = try operationNames()
        for name in (listed.index?.names).map(Set.init)?.subtracting(names) ?? [] {
            listed.index?.remove(name)
        }
        for name in names.sorted(by: Self.isBefore) { try look(at: name, &listed) }
        listed.index?.apply(listed.epochs)
        state = listed
        try exclusively(&state) { _ in }
    }

    private static func isBefore(_ left: FileName, _ right: FileName) -> Bool {
        switch (left, right) {
        case (.operation(let left), .operation(let right)): left < right
        case (.foreign(let left), .foreign(let right)): left.lexicographicallyPrecedes(right)
        case (.operation, .foreign): true
        case (.foreign, .operation): false
        }
    }

    /// Looks again at entries that could not be read, or not be quarantined on the disk.
    func lookAgain(_ state: inout State) throws {
        for name in state.index?.held ?? [] { try look(at: name, &state) }
    }

    /// Brings the index up to date about one entry.
    private func look(at name: FileName, _ state: inout State) throws {
        if let standing = try readStanding(name) {
            let isReadable = standing.heldFor == nil
            let known = isReadable ? nil : state.index?.standing(of: name)
            state.index?.set(
                name,
                isReadable ? standing.applying(state.epochs) : .unreadable(known)
            )
        } else {
            state.index?.remove(name)
        }
    }

    func readEpochs() throws -> WaitEpochs {
        guard let file = try files.openIfThere(paths.waits) else { return WaitEpochs() }
        defer { files.close(file) }
        let bytes = try files.read(file, at: 0, count: WaitEpochs.length + 1)
        return WaitEpochs(decoding: bytes) ?? WaitEpochs()
    }
}
