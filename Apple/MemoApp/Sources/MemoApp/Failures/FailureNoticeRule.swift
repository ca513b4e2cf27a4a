/// What follows where a memo did not arrive and the person does not know.
///
/// | permission | the app is in front | the app is not |
/// |---|---|---|
/// | nobody was asked | asks, for the first time that it matters | waits: the question would stand over nothing |
/// | given | tells | tells |
/// | refused | waits | waits |
struct FailureNoticeRule: Hashable, Sendable {
    /// The person's permission for notifications.
    enum Permission: Hashable, Sendable, CaseIterable {
        case unasked, given, refused
    }

    enum Step: Hashable, Sendable {
        /// Nothing now: a permission that comes later tells.
        case wait
        case ask
        case tell
    }

    let permission: Permission

    func step(isInFront: Bool) -> Step {
        switch permission {
        case .unasked: isInFront ? .ask : .wait
        case .given: .tell
        case .refused: .wait
        }
    }
}
