public import StoreCore
public import Synchronization

extension Store {
    /// Changes the state: the only way to do so.
    ///
    /// ```swift
    /// let index = store.commit { notes in
    ///     notes.titles.append("Milk")
    ///     return notes.titles.count - 1
    /// }
    /// ```
    ///
    /// When it returns, the change is visible to every thread, and every handler on `.immediate` has
    /// been called, unless another thread was delivering already and does it, or the commit was
    /// made inside a handler or a body: then they are called after that one.
    ///
    /// - Parameters:
    ///   - name: what to call the commit in `Changes.origin`; the calling function unless given.
    ///   - file: where it is made; leave it to the compiler.
    ///   - line: the same.
    ///   - body: changes the state, alone. If it throws, the state is as it was and nobody is
    ///     told. It is not to use this store.
    /// - Returns: what `body` returned.
    /// - Throws: what `body` throws, and nothing else.
    /// - Complexity: a lock, beside what `body` does. With observers, or with a body that can throw,
    ///   the previous state is kept meanwhile, so that the copy-on-write parts that `body` touches
    ///   are copied. With observers one step for each of them, under the lock.
    @inlinable
    @discardableResult
    public func commit<Result, Failure: Error>(
        _ name: StaticString = #function,
        file: StaticString = #fileID,
        line: UInt = #line,
        _ body: (inout State) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let origin = CommitOrigin(name: name, file: file, line: line)
        return try alone { (locked, thread) throws(Failure) in
            if Failure.self == Never.self, locked.sinks.isEmpty {
                let result = try body(&locked.state)
                advance(&locked, origin, thread)
                return result
            }
            let previous = locked.state
            let result: Result
            do throws(Failure) {
                result = try body(&locked.state)
            } catch {
                locked.state = previous
                throw error
            }
            advance(&locked, origin, thread)
            tell(&locked, previous, thread)
            return result
        }
    }

    @inlinable
    func advance(_ locked: inout Locked, _ origin: CommitOrigin, _ thread: CurrentThread) {
        locked.version &+= 1
        locked.origin = origin
        clock.version.store(locked.version, ordering: .releasing)
        if !locked.dependents.isEmpty { thread.append(locked.dependents) }
    }

    @inlinable
    func tell(_ locked: inout Locked, _ previous: State, _ thread: CurrentThread) {
        guard !locked.sinks.isEmpty else { return }
        let changes = Changes(
            previous: previous,
            current: locked.state,
            version: locked.version,
            origin: locked.origin
        )
        for sink in locked.sinks { sink.receive(changes, on: thread) }
    }
}
