/// The storing of one text by a door: a part of the app, or an extension of it, that takes a text while the
/// app's screen is not in use.
///
/// Pure. The shell is ``MemoDoor``: the system gives a door some time, and says when it is over. By then the
/// process must hold no lock in the folder of the app group, or the system ends it.
///
/// | state | meaning |
/// |---|---|
/// | `waiting` | the system has been asked for time |
/// | `storing` | the box is being opened, and the text stored |
/// | `closing` | the text is stored or refused; the box is being closed |
/// | `ended` | the person has an answer |
///
/// Invariants, of which the tests try every sequence of events:
///
/// 1. A text is stored at most once, whatever the system says and how often.
/// 2. There is one answer, and it comes after the box is closed: whoever has it may be suspended.
/// 3. "Stored" is answered only after the transaction, and delivery is asked for before that.
/// 4. Nothing begins after the time is over. What has begun goes on to its end: a transaction takes
///    milliseconds, and the time in which a process may still run is longer.
///
/// | failure | outcome |
/// |---|---|
/// | the system gives no time | nothing is stored, and the person is told |
/// | the time ends before the box is closed | the box is closed as soon as the transaction ends |
/// | the process is killed meanwhile | the text is stored or it is not; no answer promises it |
struct DoorMachine<Stored: Hashable & Sendable, Refusal: Hashable & Sendable>: Hashable, Sendable {
    /// The end of the work with the box.
    enum Outcome: Hashable, Sendable {
        case stored(Stored)
        case refused(Refusal)
        /// The system gave no time.
        case noTime
    }

    enum Event: Hashable, Sendable {
        /// The system gives time.
        case granted
        /// The time is over, or the system gives none.
        case expired
        /// The work with the box has ended.
        case worked(Outcome)
        /// The box is closed, or was never open.
        case closed
    }

    enum Effect: Hashable, Sendable {
        /// Opens the box and stores the text.
        case store
        /// Closes the box.
        case close
        /// Asks the system to run the app for a delivery.
        case askForDelivery
        case answer(Outcome)
    }

    private enum State: Hashable, Sendable {
        case waiting
        case storing
        case closing(Outcome)
        case ended
    }

    private var state = State.waiting

    /// Whether the person has the answer, so that the time can be given back.
    var isOver: Bool { state == .ended }

    mutating func handle(_ event: Event) -> [Effect] {
        switch (state, event) {
        case (.waiting, .granted):
            state = .storing
            return [.store]
        case (.waiting, .expired):
            state = .ended
            return [.answer(.noTime)]
        case (.storing, .worked(let outcome)):
            state = .closing(outcome)
            return [.close]
        case (.closing(let outcome), .closed):
            state = .ended
            guard case .stored = outcome else { return [.answer(outcome)] }
            return [.askForDelivery, .answer(outcome)]
        case (.storing, .expired), (.closing, .expired), (.ended, .expired), (.ended, .granted),
            (.storing, .granted), (.closing, .granted), (.waiting, .worked), (.waiting, .closed),
            (.storing, .closed), (.closing, .worked), (.ended, .worked), (.ended, .closed):
            return []
        }
    }
}
