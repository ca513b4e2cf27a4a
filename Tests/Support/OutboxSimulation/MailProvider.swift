import OutboxCore
import OutboxTesting
import RelayServer

/// Takes mails and puts them into the inbox, unless it does not, or does not say so.
///
/// Confined to the scheduler's thread; only therefore `Sendable`.
final class MailProvider: @unchecked Sendable {
    private unowned let world: World
    private var inbox: [String: [UInt8]] = [:]

    init(world: World) {
        self.world = world
    }

    func deliver(_ mail: QueuedMail, from process: RelayProcess) async -> MailOutcome {
        await pause()
        guard process.isAlive, !Task.isCancelled else { return .unknown("smtp.cancelled") }
        world.history.observe(.handedOver(message: mail.message))
        if world.isRefused(MailText.text(of: mail.message)) {
            world.history.count(.mailRefused, "provider")
            return .refused("smtp.550")
        }
        if world.happens(.mailLater, "provider") { return .tryLater("smtp.451") }
        let isUnknown = world.happens(.mailUnknown, "provider")
        if isUnknown, world.random.isTrue(500) {
            await pause()
            return .unknown("smtp.unanswered")
        }
        take(mail)
        await pause()
        return isUnknown ? .unknown("smtp.unanswered") : .accepted
    }

    private func take(_ mail: QueuedMail) {
        let name = world.name(ofText: MailText.text(of: mail.message))
        world.history.note("inbox", "a mail of \(name)")
        if inbox.updateValue(mail.message, forKey: mail.messageID) == nil {
            world.history.count { $0.delivered += 1 }
        } else {
            world.history.count { $0.collapsed += 1 }
        }
        world.history.observe(.delivered(messageID: mail.messageID, message: mail.message))
    }

    private func pause() async {
        let longest = world.isHealed ? 2000 : 60_000
        let wait = world.random.duration(upTo: Milliseconds(Int64(longest)))
        await world.scheduler.sleep(wait)
    }
}

/// The connection of one relay process to the provider.
struct SimulatedTransport: MailTransport {
    let process: RelayProcess
    let provider: MailProvider

    func deliver(_ mail: QueuedMail) async -> MailOutcome {
        await provider.deliver(mail, from: process)
    }
}
