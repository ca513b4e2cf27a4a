package import RelayRules
import Synchronization

/// The pace of the searches for due mails in each part of a queue, as this process makes them.
package final class SearchPaces: Sendable {
    private let paces = Mutex<[MailPart: SearchPace]>([:])

    package init() {}

    /// The pace of a part after its last search.
    package subscript(part: MailPart) -> SearchPace {
        get { paces.withLock { $0[part] ?? SearchPace() } }
        set { paces.withLock { $0[part] = newValue } }
    }
}
