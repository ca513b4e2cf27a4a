// What the sources use of extensions: the request of another app, and time to do something. Foundation has
// it, on Apple's systems.

import Dispatch
import Synchronization

extension ProcessInfo {
    /// Apple: the block runs on a concurrent queue. It is called with `true` where the system gives no time,
    /// and a second time, beside the first one, when the time is over.
    public func performExpiringActivity(
        withReason reason: String,
        using block: @escaping @Sendable (Bool) -> Void
    ) {
        guard !reason.isEmpty else { fatalError("an expiring activity has no reason") }
        Activities.begin(block)
    }
}

open class NSExtensionContext: NSObject {
    private let items: [Any]
    private let ended: @Sendable (_ isCompleted: Bool) -> Void

    @_spi(Device) public init(
        _ items: [Any],
        ended: @escaping @Sendable (_ isCompleted: Bool) -> Void
    ) {
        (self.items, self.ended) = (items, ended)
    }

    open var inputItems: [Any] { items }

    open func completeRequest(
        returningItems items: [Any]?,
        completionHandler: (@Sendable (Bool) -> Void)? = nil
    ) {
        ended(true)
        completionHandler?(false)
    }

    open func cancelRequest(withError error: any Error) {
        ended(false)
    }
}

open class NSExtensionItem: NSObject {
    open var attributedTitle: NSAttributedString?
    open var attributedContentText: NSAttributedString?
    open var attachments: [NSItemProvider]?
}

open class NSItemProvider: NSObject {
    public typealias CompletionHandler = @Sendable ((any NSSecureCoding)?, (any Error)?) -> Void

    /// The item, under a type that it has.
    private let item: (any NSSecureCoding)?
    private let type: String?

    @_spi(Device) public init(_ item: any NSSecureCoding, as typeIdentifier: String) {
        (self.item, type) = (item, typeIdentifier)
    }

    /// Apple: also of a type that conforms to it.
    open func hasItemConformingToTypeIdentifier(_ typeIdentifier: String) -> Bool {
        type == typeIdentifier
    }

    /// Apple: the handler is called on a queue of the system's.
    open func loadItem(
        forTypeIdentifier typeIdentifier: String,
        options: [AnyHashable: Any]? = nil,
        completionHandler: NSItemProvider.CompletionHandler? = nil
    ) {
        guard type == typeIdentifier else { fatalError("an item of another type is loaded") }
        nonisolated(unsafe) let item = item
        DispatchQueue.global().async { completionHandler?(item, nil) }
    }
}

open class UIOpenURLContext: NSObject {}

open class UIApplicationShortcutItem: NSObject {}

/// The expiring activities of the process.
enum Activities {
    private struct State: Sendable {
        var begun = 0
        var running: [Int: @Sendable (Bool) -> Void] = [:]
        var refusesTime = false
    }

    private static let state = Mutex(State())
    private static let queue = DispatchQueue(label: "activities", attributes: .concurrent)

    /// Whether the system gives no time.
    static var refusesTime: Bool {
        get { state.withLock { $0.refusesTime } }
        set { state.withLock { $0.refusesTime = newValue } }
    }

    static func begin(_ block: @escaping @Sendable (Bool) -> Void) {
        guard !refusesTime else { return queue.async { block(true) } }
        let process = Device.noteTask()
        let number = state.withLock { state in
            state.begun += 1
            state.running[state.begun] = block
            return state.begun
        }
        queue.async {
            block(false)
            state.withLock { _ = $0.running.removeValue(forKey: number) }
            Device.noteEndOfTask(of: process)
        }
    }

    /// The time of all activities is over. The system suspends the process when all their blocks have ended.
    static func expire() {
        let running = state.withLock { Array($0.running.values) }
        let group = DispatchGroup()
        for block in running { queue.async(group: group) { block(true) } }
        group.wait()
    }
}
