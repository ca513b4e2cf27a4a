import MemoKit

/// Whether the text is stored as a draft, and what prevents it.
struct ComposeDraft {
    /// How many milliseconds typing pauses before the draft is saved.
    private static let pauseMilliseconds: Int32 = 150

    /// Why the text is not stored; `nil` when it is, or when saving was not tried.
    private(set) var failure: MemoError?
    private var isDue = false
    /// Whether leaving was refused because of ``failure``, and nothing was typed since.
    private var isLossAnnounced = false

    /// How many milliseconds to wait for a key before ``save(_:in:)`` is called; -1 when nothing is
    /// to be saved.
    var pause: Int32 { isDue ? Self.pauseMilliseconds : -1 }

    /// Notes a key.
    ///
    /// - Parameter isLeave: Whether the key is the one that leaves.
    mutating func keyTaken(isLeave: Bool) {
        isDue = true
        if !isLeave { isLossAnnounced = false }
    }

    /// Notes that the text was sent, and its draft removed with that.
    mutating func textSent() { isDue = false }

    /// Has the next ``save(_:in:)`` try in any case.
    mutating func makeDue() { isDue = true }

    /// Saves the draft where there is something to save.
    ///
    /// - Returns: Why it could not be saved, the first time: it must not get in the way of writing.
    mutating func save(
        _ text: @autoclosure () -> String,
        in box: () throws(MemoError) -> MemoBox
    ) -> MemoError? {
        guard isDue else { return nil }
        isDue = false
        do throws(MemoError) {
            try box().saveDraft(text())
            failure = nil
            return nil
        } catch {
            defer { failure = error }
            return failure == nil ? error : nil
        }
    }

    /// Why leaving would lose the text, if it would and the person was not told yet.
    mutating func takeLossToAnnounce() -> MemoError? {
        guard let failure, !isLossAnnounced else { return nil }
        isLossAnnounced = true
        return failure
    }
}
