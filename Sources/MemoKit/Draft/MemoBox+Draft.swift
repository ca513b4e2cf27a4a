import MemoCore
import Outbox
import OutboxCore
import OutboxSQLite

/// The identifier of a place where a person composes one text at a time, such as a window.
///
/// Several composers may use one box. Each has a draft of its own, which no other composer of this
/// process or of another one takes.
public struct ComposerID: Hashable, Sendable {
    /// The composer of a program that has only one.
    public static let only = ComposerID(0)

    /// The number of the composer.
    public let number: Int

    /// Makes the identifier of a composer.
    ///
    /// - Parameter number: A number that no other composer of the same box has.
    public init(_ number: Int) {
        self.number = number
    }
}

/// The draft that a composer was writing when its box was closed.
public struct ClosedDraft: Hashable, Sendable {
    let number: Int64
    /// The identifier under which the draft was sealed last: another text has another one.
    let id: OperationID
}

extension MemoBox {
    /// The text of the composer's draft. A composer without a draft takes over an interrupted one: the
    /// preferred draft, or else the most recent one.
    ///
    /// Leaves alone a draft that another running composer is writing. Passes over a draft that does
    /// not open under the present key, and keeps that draft unchanged.
    ///
    /// - Parameters:
    ///   - composer: The composer.
    ///   - preferred: The number of the draft to take over; see ``draftNumber(of:)``.
    ///   - spared: The numbers of interrupted drafts that this composer does not take over, unless it
    ///     prefers one of them.
    /// - Returns: `nil` when there is none.
    /// - Throws: ``MemoError``; a key that cannot be read now is an error.
    public func draft(
        of composer: ComposerID = .only,
        preferring preferred: Int64? = nil,
        sparing spared: Set<Int64> = []
    ) throws(MemoError) -> String? {
        try translatingErrors {
            try drafts[composer].text(
                with: outbox.sealer,
                preferring: preferred,
                sparing: spared
            )
        }
    }

    /// The number of the composer's draft, by which a later process finds it again; `nil` for a composer
    /// that has no draft. The number of a draft that was sent may name another one later.
    ///
    /// - Parameter composer: The composer.
    public func draftNumber(of composer: ComposerID = .only) -> Int64? { drafts[composer].number }

    /// Replaces the composer's draft, sealed and durable. An empty text discards the draft.
    ///
    /// Waits for the disk: call it when typing pauses rather than at each key.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - composer: The composer.
    /// - Throws: ``MemoError``; the stored draft is as before.
    public func saveDraft(
        _ text: String,
        of composer: ComposerID = .only
    ) throws(MemoError) {
        guard !text.isEmpty else { return try discardDraft(of: composer) }
        try translatingErrors {
            try drafts[composer].save(
                SealedBytes(sealing: Array(text.utf8), kind: .draft, with: outbox.sealer)
            )
        }
    }

    /// Deletes the drafts of all composers that have ended, also such as do not open.
    ///
    /// - Returns: Their number.
    public func discardDrafts() throws(MemoError) -> Int {
        try translatingErrors { try drafts.discardAll() }
    }

    /// Deletes the composer's draft. The drafts of other composers stay.
    ///
    /// - Parameter composer: The composer.
    /// - Throws: ``MemoError``; a composer without a draft is not an error.
    public func discardDraft(of composer: ComposerID = .only) throws(MemoError) {
        guard let number = draftNumber(of: composer) else { return }
        try translatingErrors {
            try storage.write { try BoxDraft.delete(number, in: $0) }
        }
    }

    /// Ends a composer: its stored draft is an interrupted one, which the next composer takes over.
    ///
    /// - Parameter composer: The composer. One that has no draft is not an error.
    public func endComposer(_ composer: ComposerID) {
        drafts.end(composer)
    }
}
