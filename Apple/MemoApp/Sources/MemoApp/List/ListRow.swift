import MemoTexts

/// What one row of a list shows and offers.
struct ListRow: Hashable, Sendable {
    /// The mark at the end of a row.
    enum Mark: Hashable, Sendable {
        case none
        /// One of several, the chosen one.
        case chosen
        /// A tap opens another screen.
        case opens
        /// A switch.
        case isOn(Bool)
    }

    var title: String
    /// The lines below the title.
    var detail = ""
    var mark = Mark.none
    /// What a swipe over the row offers, the nearest to the edge first. VoiceOver has them as actions.
    var offers: [ListOffer] = []
}

/// What a person can do with a row, beside a tap.
enum ListOffer: Hashable, Sendable {
    case delete, copy, resend, retry
    /// Signs a device out.
    case revoke
    /// Keeps this device's version of what two devices have changed, opens it, or takes the other one.
    case keepMine, edit, takeTheirs

    var text: AppText {
        switch self {
        case .delete: .delete
        case .copy: .copy
        case .resend: .resend
        case .retry: .retryNow
        case .revoke: .signOut
        case .keepMine: .retryNow
        case .edit: .edit
        case .takeTheirs: .shareDiscard
        }
    }

    /// Whether something is lost.
    var isDestructive: Bool { self == .delete || self == .revoke || self == .takeTheirs }
}
