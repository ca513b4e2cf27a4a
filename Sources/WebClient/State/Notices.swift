import MemoTexts

/// The line of text below the field, which screen readers speak.
struct Notice: Hashable {
    enum Tone: UInt8, Hashable {
        case info, warning, error

        var name: StaticString {
            switch self {
            case .info: "info"
            case .warning: "warning"
            case .error: "error"
            }
        }
    }

    /// The action behind the notice's button.
    enum Action: UInt8, Hashable {
        case showQueue, showHistory, signIn

        var text: AppText {
            switch self {
            case .showQueue, .showHistory: .showQueue
            case .signIn: .signIn
            }
        }
    }

    /// The thing that a notice speaks of, and with which the notice ends. Facts stand in the order
    /// in which they are shown.
    enum Cause: UInt8, Hashable, CaseIterable {
        /// The answer to what the person did last.
        case answer
        /// The browser stores nothing, or what it stored is out of reach.
        case storage
        /// A memo that was sent here waits for a person to sign in.
        case unsent
        /// The relay has refused this device's token.
        case account
        /// A memo did not arrive, and the person has not seen that.
        case failure
        /// A memo has been waiting for over an hour.
        case late
        /// The draft is not saved.
        case draft
    }

    let text: AppText
    var values: [[UInt8]] = []
    var tone = Tone.info
    var action: Action?
    var cause = Cause.answer
}

/// The notices of a page, of which one is shown: one answer, and facts behind it.
///
/// | | ends with |
/// |---|---|
/// | an answer that informs | the time, another answer, another screen |
/// | an answer that warns, or says what failed | the next edit, another answer, another screen |
/// | a fact | its cause |
///
/// An answer is shown before any fact. No answer ends a fact: the fact comes back when the answer has
/// ended. On another screen than the field's only ``Notice/Cause/storage`` is shown, because the
/// others offer a way to such a screen.
struct Notices: Hashable {
    private(set) var answer: Notice?
    /// At most one of each cause, in the order of the causes.
    private(set) var facts: [Notice] = []

    /// The notice to show on a screen.
    func shown(on screen: Screen) -> Notice? {
        answer ?? facts.first { screen == .compose || $0.cause == .storage }
    }

    func has(_ cause: Notice.Cause) -> Bool {
        cause == .answer ? answer != nil : facts.contains { $0.cause == cause }
    }

    /// Whether time ends the answer.
    var isTimed: Bool { answer?.tone == .info }

    /// Says something. A fact of which the notice speaks begins, or gets other words.
    mutating func say(_ notice: Notice) {
        end(notice.cause)
        guard notice.cause != .answer else {
            answer = notice
            return
        }
        let place = facts.firstIndex { $0.cause.rawValue > notice.cause.rawValue }
        facts.insert(notice, at: place ?? facts.count)
    }

    /// The cause is no more.
    mutating func end(_ cause: Notice.Cause) {
        if cause == .answer { answer = nil }
        facts.removeAll { $0.cause == cause }
    }

    /// A person has changed the field, or wanted to send nothing.
    mutating func edited() {
        if !isTimed { answer = nil }
    }

    /// A person has gone to another screen.
    mutating func screenChanged() { answer = nil }

    /// The time of an answer that informs is over.
    mutating func timeIsOver() {
        if isTimed { answer = nil }
    }
}
