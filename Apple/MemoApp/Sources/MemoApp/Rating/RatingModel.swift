import MemoCore
import MemoKit
import Store

/// What the question for a rating shows.
struct RatingState: Hashable, Sendable {
    enum Step: Hashable, Sendable {
        /// Nothing is asked.
        case none
        case asks
        /// The person has rated, with so many stars.
        case thanks(Int)
    }

    var step = Step.none
}

/// The question for a rating without a screen. ``MemoCore/RatingRule`` says when it is due; it is asked
/// some time after a memo was sent, while the field is empty and in sight.
@MainActor
final class RatingModel {
    /// How long the field has to be left alone after a memo was sent, in milliseconds.
    static let quiet: Int64 = 2000
    /// How long the thanks stay, in milliseconds.
    static let thanksTime: Int64 = 3000

    let store = Store(RatingState())
    private let parts: AppParts
    private let isComposing: @MainActor () -> Bool
    private let review: @MainActor () -> Void
    private var subscription: Subscription?
    /// Counts what the person does in the field.
    private var deeds = 0

    /// - Parameters:
    ///   - compose: Tells of sent memos and of typing.
    ///   - isComposing: Whether the compose screen is in sight.
    ///   - review: Has the system ask for a review.
    init(
        _ parts: AppParts,
        compose: Store<ComposeState>,
        isComposing: @escaping @MainActor () -> Bool,
        review: @escaping @MainActor () -> Void
    ) {
        self.parts = parts
        self.isComposing = isComposing
        self.review = review
        subscription = compose.sinkState { [weak self] changes in
            MainActor.assumeIsolated { self?.heard(changes) }
        }
    }

    private func heard(_ changes: Changes<ComposeState>) {
        guard let before = changes.previous else { return }
        let now = changes.current
        if before.isFieldEmpty != now.isFieldEmpty { deeds += 1 }
        guard before.sent != now.sent else { return }
        let deed = deeds
        parts.clock.after(Self.quiet) { [weak self] in
            if self?.deeds == deed { self?.askIfDue() }
        }
    }

    private func askIfDue() {
        guard isComposing() else { return }
        let (deed, now) = (deeds, parts.clock.wallTime())
        parts.box.later { box throws(MemoError) in
            (try box.memosSent(), box.folder.rating)
        } then: { [weak self] read in
            // Without the box nobody is asked.
            guard let self, deeds == deed, isComposing(), case .success(let (sent, noted)) = read
            else { return }
            var rule = noted
            guard rule.isDue(sent: sent, now: now) else { return }
            rule.shown(sent: sent, now: now)
            note(rule)
            store.commit { $0.step = .asks }
        }
    }

    // MARK: Answers

    func rated(_ stars: Int) {
        guard store.state.step == .asks else { return }
        switch RatingRule.answer(to: stars, hasReviewPage: true) {
        case .review:
            store.commit { $0.step = .none }
            review()
        case .thanks:
            store.commit { $0.step = .thanks(stars) }
            parts.clock.after(Self.thanksTime) { [weak self] in
                self?.store.commit { $0.step = .none }
            }
        }
    }

    func dismissed() {
        if store.state.step == .asks {
            let now = parts.clock.wallTime()
            parts.box.later { box throws(MemoError) in
                var rule = box.folder.rating
                rule.dismissed(now: now)
                box.folder.noteRating(rule)
            } then: { _ in
            }
        }
        store.commit { $0.step = .none }
    }

    private func note(_ rule: RatingRule) {
        parts.box.later { box throws(MemoError) in
            box.folder.noteRating(rule)
        } then: { _ in
        }
    }
}
