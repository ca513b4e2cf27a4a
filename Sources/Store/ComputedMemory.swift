/// The computed properties of one state that observers have read, for every `Changes` that has this
/// state: as the current one, or as the previous one of the next commit.
///
/// Freed with the last of these `Changes`, and in the store with the next commit or the last
/// observer.
@usableFromInline
final class ComputedMemory: Sendable {
    private struct Property: Hashable, Sendable {
        let path: any AnyKeyPath & Sendable

        static func == (left: Property, right: Property) -> Bool {
            left.path == right.path
        }

        func hash(into hasher: inout Hasher) {
            path.hash(into: &hasher)
        }
    }

    /// One property. Its lock is held while it is computed, so that a thread that wants the same
    /// property waits, and a thread that wants another one does not.
    private final class Cell<Value: Sendable>: Sendable {
        private let lock = OwnedLock<Value?>(nil)

        func value(_ compute: () -> Value) -> Value {
            let thread = CurrentThread()
            lock.checkNotHeld(by: thread, "A computed property of a state read itself.")
            thread.enterLock()
            defer { thread.leaveLock() }
            return lock.withLock(on: thread) { known in
                if let known { return known }
                let value = compute()
                known = value
                return value
            }
        }
    }

    /// Each a `Cell` with the type of the key path's value.
    private let cells = OwnedLock<[Property: any AnyObject & Sendable]>([:])

    @usableFromInline
    init() {}

    /// - Parameter compute: Called at most once for each property in this memory's life.
    func value<Value: Sendable>(
        at path: any AnyKeyPath & Sendable,
        as _: Value.Type,
        _ compute: () -> Value
    ) -> Value {
        let property = Property(path: path)
        let cell = cells.withLock(on: CurrentThread()) { cells in
            if let known = cells[property] { return unsafeDowncast(known, to: Cell<Value>.self) }
            let cell = Cell<Value>()
            cells[property] = cell
            return cell
        }
        return cell.value(compute)
    }
}
