import MemoCore
import MemoKit

/// The draft of a compose: ``DraftMachine`` has the rules; the box stores the text.
struct ComposeDraft {
    /// The one record that a box reads and writes.
    private enum Source: Hashable, Sendable { case box }

    private var machine = DraftMachine<Source>()
    /// Why the text is not stored; `nil` when it is, or when saving was not tried.
    private(set) var failure: MemoError?

    /// How many milliseconds to wait for a key before ``paused(_:in:)`` is called; -1 when nothing
    /// is to be saved.
    var pause: Int32 { machine.isPausing ? Int32(DraftMachine<Source>.pause) : -1 }

    /// Takes the draft of an interrupted compose over.
    ///
    /// - Parameters:
    ///   - stored: The draft's text, `nil` for none; or why it could not be read.
    ///   - isMerged: Whether the field has a text already.
    /// - Returns: The text for the field; `nil` when there is none.
    mutating func restore(
        _ stored: Result<String?, MemoError>,
        isMerged: Bool
    ) throws(MemoError) -> String? {
        var effects = machine.handle(.ended(.box))
        if effects == [.look] { effects = machine.handle(.looked(isEmpty: !isMerged, waited: 0)) }
        guard effects == [.restore(.box)] else { return nil }
        let text: String?
        do throws(MemoError) { text = try stored.get() } catch {
            _ = machine.handle(.gone)
            throw error
        }
        _ = machine.handle(text == nil ? .gone : .restored(isMerged: isMerged))
        return text
    }

    /// Notes a key that may change the text.
    mutating func typed() { _ = machine.handle(.typed) }

    /// Saves the draft where there is something to save.
    ///
    /// - Returns: Why it could not be saved, the first time: it must not get in the way of writing.
    mutating func paused(
        _ text: @autoclosure () -> String,
        in box: () throws(MemoError) -> MemoBox
    ) -> MemoError? {
        let effects = perform(machine.handle(.paused), text(), in: box)
        return effects.contains(.tellNotSaved) ? failure : nil
    }

    /// Saves the draft where there is something to save, because the compose may end.
    ///
    /// - Returns: Whether the text outlives the compose; ``failure`` says why not.
    mutating func leave(
        _ text: @autoclosure () -> String,
        in box: () throws(MemoError) -> MemoBox
    ) -> DraftKeeping {
        for case .answer(let keeping) in perform(machine.handle(.leaving), text(), in: box) {
            return keeping
        }
        return .lost
    }

    /// Sends the text: `body` stores the memo, and removes its draft with that.
    mutating func send(_ body: () throws(MemoError) -> Void) throws(MemoError) {
        _ = machine.handle(.pressed)
        do throws(MemoError) { try body() } catch {
            _ = machine.handle(.notSent)
            throw error
        }
        failure = nil
        _ = machine.handle(.sent(machine.taken, isEmpty: true))
    }

    /// Saves until the machine asks for nothing more.
    ///
    /// - Returns: All effects.
    private mutating func perform(
        _ effects: [DraftMachine<Source>.Effect],
        _ text: @autoclosure () -> String,
        in box: () throws(MemoError) -> MemoBox
    ) -> [DraftMachine<Source>.Effect] {
        var effects = effects
        var next = 0
        while next < effects.count {
            switch effects[next] {
            case .save: effects += machine.handle(.ready)
            case .write: effects += machine.handle(write(text(), in: box))
            case .pause, .tellNotSaved, .answer, .look, .restore, .release: break
            }
            next += 1
        }
        return effects
    }

    private mutating func write(
        _ text: String,
        in box: () throws(MemoError) -> MemoBox
    ) -> DraftMachine<Source>.Event {
        do throws(MemoError) {
            try box().saveDraft(text)
            failure = nil
            return .saved
        } catch {
            failure = error
            return .saveFailed
        }
    }
}
