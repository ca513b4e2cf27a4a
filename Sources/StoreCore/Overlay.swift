/// A change that is shown before the server has agreed to it.
///
/// ```swift
/// struct Rename: PendingChange {
///     let id: UInt64
///     let memo: EntityID<Memo>
///     let title: [UInt8]
///
///     func apply(to base: inout State) throws(Gone) {
///         guard base.memos.update(memo, { $0.title = title }) != nil else { throw Gone() }
///     }
/// }
/// ```
public protocol PendingChange {
    /// The type of the state that the change applies to.
    associatedtype Base
    /// The type that tells pending changes apart, also across a restart: for example the identifier
    /// of an operation in an outbox.
    associatedtype ID: Equatable
    /// The reason why a change does not fit; `Never` for changes that always fit.
    associatedtype Misfit: Error

    /// The change's identifier.
    var id: ID { get }

    /// Applies the change. Called any number of times, each time on another base; the result must
    /// depend on that base and the change alone.
    ///
    /// - Throws: A `Misfit` if the change does not fit, for example because its entity was deleted.
    ///   The base is then as before.
    func apply(to base: inout Base) throws(Misfit)
}

/// The state that the server confirmed, with the changes on top that the server has yet to confirm.
///
/// At any time ``current`` is ``base`` with ``pending`` replayed on it in order. A change shows at
/// once (``add(_:)``). The server's answer replaces it (``confirm(_:_:)``), the server's refusal
/// removes it (``reject(_:)``), and other news of the server goes below it (``rebase(_:)``).
///
/// A pending change that no longer fits the base stays in the log, since its answer is still to
/// come, but shows nothing. It is listed in ``unfit``, and shows again if it fits a later base.
public struct Overlay<Change: PendingChange> {
    /// A pending change that does not fit the base, and why.
    public struct Unfit {
        /// The change that no longer fits.
        public let id: Change.ID
        /// The reason why the change does not fit.
        public let reason: Change.Misfit
    }

    /// The state that the server confirmed.
    public private(set) var base: Change.Base
    /// The state to show.
    public private(set) var current: Change.Base
    /// The changes that the server has yet to confirm, in the order in which they were added.
    public private(set) var pending: [Change] = []
    /// The pending changes that show nothing, in the order of ``pending``.
    public private(set) var unfit: [Unfit] = []

    /// An overlay with nothing pending.
    ///
    /// - Complexity: O(1).
    public init(_ base: Change.Base) {
        self.base = base
        current = base
    }

    /// An overlay as it was before a restart: changes that do not fit are kept and listed in
    /// ``unfit``.
    ///
    /// - Complexity: O(*p*) applications for *p* pending changes.
    public init(_ base: Change.Base, pending: [Change]) {
        self.init(base)
        self.pending = pending
        replay()
    }

    /// Shows a change at once and keeps it pending.
    ///
    /// - Precondition: No pending change has its identifier.
    /// - Throws: The reason why the change does not fit ``current``; then nothing has changed.
    /// - Complexity: One application; O(*p*) for the check of the identifier.
    public mutating func add(_ change: Change) throws(Change.Misfit) {
        precondition(
            position(of: change.id) == nil,
            "A pending change has an identifier of its own."
        )
        var next = current
        try change.apply(to: &next)
        current = next
        pending.append(change)
    }

    /// Replaces a pending change by the server's answer, and replays the other pending
    /// changes on the new base.
    ///
    /// - Parameters:
    ///   - id: The change that was answered.
    ///   - body: Writes the answer into the base.
    /// - Returns: The change; `nil`, without calling `body`, if the change is not pending, because
    ///   its answer came before.
    /// - Throws: The error of `body`; then nothing has changed.
    /// - Complexity: O(*p*) applications for *p* pending changes.
    @discardableResult
    public mutating func confirm<Failure: Error>(
        _ id: Change.ID,
        _ body: (inout Change.Base) throws(Failure) -> Void
    ) throws(Failure) -> Change? {
        guard let position = position(of: id) else { return nil }
        var next = base
        try body(&next)
        base = next
        let change = pending.remove(at: position)
        replay()
        return change
    }

    /// Removes a change that the server refused, and replays the other pending changes.
    ///
    /// - Returns: The change; `nil` if the change is not pending.
    /// - Complexity: O(*p*) applications for *p* pending changes.
    @discardableResult
    public mutating func reject(_ id: Change.ID) -> Change? {
        guard let position = position(of: id) else { return nil }
        let change = pending.remove(at: position)
        replay()
        return change
    }

    /// Writes news of the server into the base, and replays the pending changes on it.
    ///
    /// Afterwards ``unfit`` lists the changes that do not fit the new base.
    ///
    /// - Returns: The result of `body`.
    /// - Throws: The error of `body`; then nothing has changed.
    /// - Complexity: O(*p*) applications for *p* pending changes.
    @discardableResult
    public mutating func rebase<Result, Failure: Error>(
        _ body: (inout Change.Base) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var next = base
        let result = try body(&next)
        base = next
        replay()
        return result
    }

    private func position(of id: Change.ID) -> Int? {
        pending.firstIndex { $0.id == id }
    }

    private mutating func replay() {
        current = base
        unfit = []
        for change in pending {
            var next = current
            do throws(Change.Misfit) {
                try change.apply(to: &next)
                current = next
            } catch {
                unfit.append(Unfit(id: change.id, reason: error))
            }
        }
    }
}

extension Overlay: Sendable where Change: Sendable, Change.Base: Sendable, Change.ID: Sendable {}
extension Overlay.Unfit: Sendable where Change.ID: Sendable {}
