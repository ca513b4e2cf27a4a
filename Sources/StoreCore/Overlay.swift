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
    /// What it changes.
    associatedtype Base
    /// What tells it from others, also across a restart: for example the identifier of its
    /// operation in an outbox.
    associatedtype ID: Equatable
    /// Why it does not fit: `Never` for one that always fits.
    associatedtype Misfit: Error

    /// Its own; see ``ID``.
    var id: ID { get }

    /// Makes the change. It may be asked any number of times, each time on another base, and
    /// depends on that base and itself alone.
    ///
    /// - Throws: when it does not fit, for example because its entity was deleted. What it did to
    ///   the base until then is discarded.
    func apply(to base: inout Base) throws(Misfit)
}

/// What the server has said, and on top of it what it has yet to agree to.
///
/// At any time ``current`` is ``base`` with ``pending`` replayed on it in order. A change shows at
/// once (``add(_:)``). The server's answer takes its place (``confirm(_:_:)``), or its refusal
/// takes it away (``reject(_:)``), and what the server tells of its own accord goes below it
/// (``rebase(_:)``).
///
/// A pending change that no longer fits the base stays in the log, since its answer is still to
/// come, but shows nothing. It is listed in ``unfit``, and shows again if a later base lets it.
public struct Overlay<Change: PendingChange> {
    /// A pending change that does not fit the base, and why.
    public struct Unfit {
        /// The change that no longer fits.
        public let id: Change.ID
        /// Why it does not.
        public let reason: Change.Misfit
    }

    /// What the server has said.
    public private(set) var base: Change.Base
    /// What is to be shown.
    public private(set) var current: Change.Base
    /// What the server has yet to agree to, in the order in which it was added. Its count is how
    /// many there are.
    public private(set) var pending: [Change] = []
    /// Those pending changes that show nothing, in the order of ``pending``.
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
    /// - Precondition: no pending change has its identifier.
    /// - Throws: why it does not fit what is shown; then nothing has changed.
    /// - Complexity: one application; O(*p*) for the check of the identifier.
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

    /// Puts the server's answer in the place of a pending change.
    ///
    /// The rest of what is pending is replayed on the new base.
    ///
    /// - Parameters:
    ///   - id: the change that was answered.
    ///   - body: writes the answer into the base.
    /// - Returns: the change; `nil`, without calling `body`, if it is not pending: its answer came
    ///   before.
    /// - Throws: what `body` throws; then nothing has changed.
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

    /// Takes back a change that the server refused. The rest of what is pending is replayed without
    /// it.
    ///
    /// - Returns: the change; `nil` if it is not pending.
    /// - Complexity: O(*p*) applications for *p* pending changes.
    @discardableResult
    public mutating func reject(_ id: Change.ID) -> Change? {
        guard let position = position(of: id) else { return nil }
        let change = pending.remove(at: position)
        replay()
        return change
    }

    /// Writes into the base what the server tells of its own accord, and replays what is pending on
    /// it.
    ///
    /// Afterwards ``unfit`` tells which changes the news left without a ground.
    ///
    /// - Returns: what `body` returned.
    /// - Throws: what `body` throws; then nothing has changed.
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
