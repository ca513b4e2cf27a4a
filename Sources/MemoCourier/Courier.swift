public import Logging
import MemoCore
public import MemoKit
import Outbox
import OutboxCore
import Synchronization

/// Delivers the memos of one box to the relay, and asks what became of them.
///
/// A courier needs no process of its own: an app uses one beside its screens, `memo-agent` one for
/// each run. One courier of a folder delivers at a time, in whichever process.
///
/// ```swift
/// let courier = Courier(box: box)
/// try await courier.deliver()     // until nothing is queued
/// await courier.readNews()        // sent, delivered, bounced …
/// ```
public final class Courier: Sendable {
    private let box: MemoBox
    private let delivery: Delivery
    private let logger: Logger
    let statuses: StatusReader
    /// The account for which parked memos were queued again.
    private let resumed = Mutex<Account?>(nil)

    /// - Parameters:
    ///   - box: The box. Its account says at which relay its person is signed in.
    ///   - client: The client that talks to the relay.
    ///   - logger: The log; `nil` for ``/MemoKit/DataFolder/log``.
    public init(box: MemoBox, client: RelayClient = RelayClient(), logger: Logger? = nil) {
        let logger =
            logger ?? Logger(label: "outbox") { AgentLog(label: $0, path: box.folder.log) }
        self.box = box
        self.logger = logger
        delivery = Delivery(box: box, client: client)
        statuses = StatusReader(box: box, client: client, logger: logger)
    }

    /// Delivers until nothing is queued, not even for later, or the task is cancelled. Memos that were
    /// parked without an accepted token are queued again first, once for each account.
    ///
    /// An attempt that fails is not an error: the memo stays in the outbox, and is tried again.
    ///
    /// - Throws: ``/MemoKit/MemoError`` when the box cannot be used, and
    ///   ``/MemoKit/MemoError/agentSilent`` while another courier delivers.
    public func deliver() async throws(MemoError) {
        resume()
        do {
            try await box.outbox.drain(
                [.memo: { [delivery] in await delivery.deliver($0) }],
                until: .idle
            )
        } catch {
            throw MemoError(error, folder: box.folder)
        }
    }

    /// Asks the relay once what became of the memos of which news may come, and stores the answer.
    ///
    /// A failure costs news, not a memo: it is logged, and the next call asks again.
    public func readNews() async {
        await statuses.read()
    }

    /// Tells the outbox of the network's coming and going, until the task is cancelled: memos that
    /// failed without a network leave as soon as there is one.
    public func followNetwork() async {
        await NetworkCourse(outbox: box.outbox, logger: logger).followSystem()
    }

    /// Signing in queues parked memos again, too, but may be cut short before, or meet a refusal that
    /// is not stored yet.
    private func resume() {
        do {
            guard let account = try box.account(), account != resumed.withLock({ $0 }) else {
                return
            }
            try box.retryUnauthorized()
            resumed.withLock { $0 = account }
        } catch {
            logger.warning(
                "parked memos not queued again",
                metadata: ["error": "parked.not-queued"]
            )
        }
    }
}
