public import MemoCore
public import MemoKit
import Outbox
import OutboxCore

/// The devices of the person who is signed in, at the relay.
public struct AccountDevices: Sendable {
    /// The reason for which the relay was not asked, or did not do as asked.
    public enum Failure: Error, Hashable, Sendable {
        /// The relay did not do as asked, or could not be reached. The list of devices is as it was.
        case relay(RelayTrouble)
        /// The relay was not asked, because the box could not be read or nobody is signed in; or the
        /// relay refuses this device's token, which the box then notes.
        case device(MemoError)
    }

    private let box: MemoBox
    private let client: RelayClient

    /// Makes a list that was not asked for yet.
    ///
    /// - Parameters:
    ///   - box: The box. Its account says at which relay its person is signed in.
    ///   - client: The client that talks to the relay.
    public init(box: MemoBox, client: RelayClient) {
        self.box = box
        self.client = client
    }

    /// Asks the relay for the devices.
    ///
    /// - Returns: The devices, the newest first; this device is one of them.
    /// - Throws: ``Failure``.
    public func list() async throws(Failure) -> [ListedDevice] {
        let answer = try await ask { .devices(token: $0) }
        guard let devices = ListedDevice.list(in: answer) else { throw trouble(answer) }
        return devices
    }

    /// Has the relay revoke the token of a device. A device that the relay does not know is none to
    /// revoke.
    ///
    /// - Parameter id: The identifier of the device, of `ListedDevice`.
    /// - Throws: ``Failure``; the token is then as it was, unless only the answer was lost.
    public func revoke(_ id: [UInt8]) async throws(Failure) {
        let answer = try await ask { .revoke(id, token: $0) }
        guard answer.status == 204 || answer.problem?.code == .notFound else {
            throw trouble(answer)
        }
    }

    private func trouble(_ answer: RelayAnswer) -> Failure {
        .relay(RelayTrouble(answer, now: OutboxClock.system.wallTime()))
    }

    /// - Parameter request: Makes the request with the device's token.
    /// - Returns: An answer that does not refuse the token.
    private func ask(
        _ request: ([UInt8]) -> RelayRequest
    ) async throws(Failure) -> RelayAnswer {
        let account = try account()
        let answer: RelayAnswer
        do {
            let relay = try RelayLocation(account.relay)
            answer = try await client.exchange(request(Array(account.token.utf8)), at: relay)
        } catch let error as RelayFailure {
            throw .relay(RelayTrouble(error))
        } catch {
            throw .device(.accountDamaged)
        }
        guard answer.refusesToken else { return answer }
        do {
            try box.noteRefusal(of: account)
        } catch {
            throw .device(error)
        }
        throw .device(.signedOutElsewhere)
    }

    private func account() throws(Failure) -> Account {
        do throws(MemoError) {
            guard let account = try box.account() else { throw MemoError.noAccount }
            return account
        } catch {
            throw .device(error)
        }
    }
}
