import MemoTexts
import Store

/// What a list shows around its rows.
struct ListFrame: Hashable, Sendable {
    /// A sentence above the rows, which VoiceOver speaks.
    struct Notice: Hashable, Sendable {
        /// Counts the notices, so that an equal one is spoken again.
        let number: Int
        let sentence: Sentence
    }

    let title: AppText
    var notice: Notice?
    var question: ListQuestion?
    /// Whether a person has pulled the list down, and waits.
    var isRefreshing = false
}

/// A question before something is lost.
struct ListQuestion: Hashable, Sendable {
    let title: AppText
    let message: Sentence
    /// What the button says that does it.
    let confirm: AppText
}

/// The frame of a list: sentences that go by themselves, and questions with what follows a yes.
@MainActor
final class ListScreen {
    /// How long a sentence stays, in milliseconds.
    static let noticeTime: Int64 = 5000

    let store: Store<ListFrame>
    private let clock: AppClock
    private var notices = 0
    private var whenConfirmed: @MainActor () -> Void = {}

    init(title: AppText, clock: AppClock) {
        store = Store(ListFrame(title: title))
        self.clock = clock
    }

    func say(_ sentence: Sentence) {
        notices += 1
        let number = notices
        store.commit { $0.notice = ListFrame.Notice(number: number, sentence: sentence) }
        clock.after(Self.noticeTime) { [weak self] in
            guard let self, number == notices else { return }
            store.commit { $0.notice = nil }
        }
    }

    /// Asks a question.
    ///
    /// - Parameter then: Called where the person confirms.
    func ask(_ question: ListQuestion, then: @escaping @MainActor () -> Void) {
        whenConfirmed = then
        store.commit { $0.question = question }
    }

    /// The person has answered the question.
    func answered(_ isConfirmed: Bool) {
        store.commit { $0.question = nil }
        if isConfirmed { whenConfirmed() }
        whenConfirmed = {}
    }

    func refreshes(_ isRefreshing: Bool) {
        store.commit { $0.isRefreshing = isRefreshing }
    }
}
