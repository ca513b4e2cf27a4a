import UIKit

/// What the system remembers of a window from one launch to the next: the number of its draft.
///
/// A window that returns goes on with its own draft, in whichever order the windows return. A new window
/// takes over a draft that no window has: the last one of an app that was ended, or that of a window that
/// was closed.
@MainActor
final class WindowNote {
    private static let key = "draft"

    private let session: UISceneSession

    init(_ session: UISceneSession) {
        self.session = session
    }

    /// The number of the window's draft.
    var draft: Int64? {
        get { Self.draft(of: session) }
        set { session.userInfo = newValue.map { [Self.key: $0] } }
    }

    /// The numbers of the other windows' drafts. A window whose scene the system has let go of has one, too.
    /// None where an app has one window: there is no other one that could come back for its draft.
    var draftsOfOthers: Set<Int64> {
        guard UIApplication.shared.supportsMultipleScenes else { return [] }
        let others = UIApplication.shared.openSessions.filter { $0 !== session }
        return Set(others.compactMap(Self.draft))
    }

    private static func draft(of session: UISceneSession) -> Int64? {
        session.userInfo?[key] as? Int64
    }
}
