import MemoCore
import MemoCourier
import MemoKit
import MemoSyncCore
import OfflineFirst
import Outbox
import OutboxCore
import SyncCore
import Synchronization

/// The relay, as `OfflineFirst` talks to a server: the settings, devices and statuses of one account.
///
/// | call | exchange |
/// |---|---|
/// | pull | `GET /v1/changes`; 410 is a forgotten cursor |
/// | push | `PUT /v1/settings` with `If-Match`, or `DELETE /v1/devices/ID` |
/// | ask | `POST /v1/settings/answer`; 404 is a change that the relay has never heard of |
///
/// The account is read anew for each call. A call on behalf of another account than the records' fails, so
/// that no change of one person is sent as another one. A refused token is noted in the box.
struct RelaySyncServer: SyncServer {
    let box: MemoBox
    let client: RelayClient
    /// The account whose records these are; its token may have been replaced since.
    let owner: SharedOwner
    /// The relay's name of this device, once it has answered.
    let asker = Asker()
    var now: @Sendable () -> WallTime = OutboxClock.system.wallTime

    /// The relay's name of the device that asks.
    final class Asker: Sendable {
        private let known = Mutex<[UInt8]?>(nil)

        var name: [UInt8]? {
            get { known.withLock { $0 } }
            set { known.withLock { $0 = newValue } }
        }
    }

    func pull(_ request: PullRequest) async throws -> ServerAnswer<PullAnswer> {
        let told = try await exchange(
            { .pull(request, token: $0) },
            reading: { answer throws(SharingFailure) in try answer.page(now: now()) }
        )
        if !told.content.device.isEmpty { asker.name = told.content.device }
        return ServerAnswer(told.content.answer, serverTime: told.relayTime)
    }

    func push(_ request: PushRequest) async throws -> ServerAnswer<PushAnswer> {
        // A change that no relay takes is a defect of this program: nobody makes one.
        guard RelayRequest.push(request, token: []) != nil else {
            throw SyncFailure.server("sync.not-for-devices")
        }
        let told = try await exchange(
            { .push(request, token: $0) },
            reading: { answer throws(SharingFailure) in try answer.pushed(request, now: now()) }
        )
        return ServerAnswer(told.content, serverTime: told.relayTime)
    }

    func answer(to question: AskRequest) async throws -> ServerAnswer<PushAnswer?> {
        let told = try await exchange(
            { .ask(question, token: $0) },
            reading: { answer throws(SharingFailure) in try answer.asked(question, now: now()) }
        )
        return ServerAnswer(told.content, serverTime: told.relayTime)
    }

    /// - Parameters:
    ///   - request: Makes the request with the device's token.
    ///   - read: Reads the answer.
    private func exchange<Content>(
        _ request: ([UInt8]) -> RelayRequest?,
        reading read: (RelayAnswer) throws(SharingFailure) -> Told<Content>
    ) async throws(SyncFailure) -> Told<Content> {
        let account = try account()
        guard let relay = try? RelayLocation(account.relay),
            let request = request(Array(account.token.utf8))
        else { throw .server(.unauthorized) }
        let answer: RelayAnswer
        do {
            answer = try await client.exchange(request, at: relay)
        } catch {
            throw SyncFailure(error)
        }
        do {
            let told = try read(answer)
            // A failure costs a sentence, not a change.
            try? box.noteAcceptance()
            return told
        } catch {
            if case .unauthorized = error { try? box.noteRefusal(of: account) }
            throw SyncFailure(error)
        }
    }

    private func account() throws(SyncFailure) -> Account {
        do {
            guard let account = try box.account(), SharedOwner(account) == owner else {
                throw SyncFailure.server(.unauthorized)
            }
            return account
        } catch let failure as SyncFailure {
            throw failure
        } catch {
            throw .server("account.not-read")
        }
    }
}

extension SyncFailure {
    /// The relay did not answer.
    init(_ failure: RelayFailure) {
        switch failure {
        case .unreachable: self = .offline
        case .timedOut: self = .timedOut
        case .connectionLost, .untrusted, .answerTooLong, .cancelled: self = .server(failure.reason)
        }
    }

    /// The relay's answer is none to the question.
    init(_ failure: SharingFailure) {
        switch failure {
        case .unauthorized: self = .server(.unauthorized)
        case .busy(let wait): self = .busy(retryAfter: wait)
        case .unsupported: self = .server(.unsupported)
        case .relay(let status):
            self = .server(ReasonCode(utf8: Array("relay.http.\(status)".utf8)))
        case .notOurAnswer: self = .server(.notOurAnswer)
        }
    }
}

extension ReasonCode {
    /// The relay is of a build that shares nothing.
    static let unsupported: ReasonCode = "relay.shares-nothing"
}
