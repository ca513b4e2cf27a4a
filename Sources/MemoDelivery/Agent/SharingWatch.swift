import Logging
import MemoCourier
import MemoKit
import MemoSharing
import OutboxCore

/// Synchronises what all devices of the person share, beside the deliveries of one round of the agent: at
/// once, after each call of a person who has changed a setting or asks for news, and from time to time.
///
/// A failure costs news, not a memo: it is logged, and the next synchronisation goes on.
final class SharingWatch: Sendable {
    private static let pause = Duration.seconds(60)

    private let work: Task<Void, Never>
    private let first: Task<Void, Never>

    /// - Parameter calls: Raised by each call of a person.
    init(box: MemoBox, client: RelayClient, logger: Logger, calls: RingFlag) {
        let first = Task { await Self.sync(box, client, logger) }
        self.first = first
        work = Task {
            await first.value
            while !Task.isCancelled {
                _ = await calls.wait(within: Self.pause)
                if !Task.isCancelled { await Self.sync(box, client, logger) }
            }
        }
    }

    /// Waits for the end of the first synchronisation.
    func untilSynced() async { await first.value }

    /// Ends the synchronisation, and closes its files.
    func end() async {
        first.cancel()
        work.cancel()
        await work.value
    }

    private static func sync(_ box: MemoBox, _ client: RelayClient, _ logger: Logger) async {
        do throws(MemoError) {
            let shared = try SharedBox(box: box, client: client)
            let end: Result<SharedBox.End, MemoError>
            do throws(MemoError) {
                end = .success(try await shared.sync())
            } catch {
                end = .failure(error)
            }
            await shared.close()
            switch try end.get() {
            case .done: logger.info("settings and statuses shared")
            case .failed(let reason):
                logger.notice("not shared", metadata: ["error": "\(reason)"])
            case .timedOut: logger.notice("not shared", metadata: ["error": "network.timed-out"])
            }
        } catch {
            logger.notice("not shared", metadata: ["error": "records.unusable"])
        }
    }
}
