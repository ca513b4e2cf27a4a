import MemoTexts

/// What the screen for erasing the account shows. What the person types is in the field.
struct EraseState: Hashable, Sendable {
    enum Step: Hashable, Sendable {
        /// The account is being read.
        case reading
        /// The person is told what will be erased of this address, and nothing has been asked for.
        case warning(String)
        /// A code was mailed to this address.
        case code(String)
        /// The account is erased, or nobody is signed in.
        case erased
    }

    var step = Step.reading
    /// Whether the relay is being asked.
    var isBusy = false
    var notice: SignInNotice?
    var language: Language
}
