import CourierTesting
import Foundation
import MemoCore
import MemoCourier
import MemoKit
import MemoSyncCore
import MemoTexts
import OfflineFirst
import Outbox
import OutboxCore
import Testing

@testable import MemoSharing

@Suite("What all devices of a person share")
struct SharedBoxTests {
    private let relay = FakeRelay()

    private func device() throws -> Device { try Device(signedInAt: "http://127.0.0.1:1") }

    /// Longer than the suite may take: no outcome may depend on the speed of the machine.
    private static let patience = Milliseconds.seconds(3600)

    private func shared(_ device: Device) throws -> SharedBox {
        var settings = SyncSettings()
        settings.requestLimit = Self.patience
        return try SharedBox(
            box: device.box,
            client: relay.client,
            owner: SharedOwner(try #require(try device.box.account())),
            settings: settings
        )
    }

    /// Synchronises as a process of its own would.
    @discardableResult
    private func sync(_ device: Device) async throws -> SharedBox.End {
        let shared = try shared(device)
        let end = try await shared.sync(within: Self.patience)
        await shared.close()
        return end
    }

    /// Two devices that both have the signature Anna.
    private func agreed() async throws -> (Device, Device) {
        let (first, second) = (try device(), try device())
        try set(first, signature: "Anna")
        try await sync(first)
        try await sync(second)
        return (first, second)
    }

    private func set(_ device: Device, signature: String? = nil, subject: String? = nil) throws {
        var settings = try device.box.settings()
        if let signature { try settings.setSignature(signature) }
        if let subject { try settings.setSubjectTemplate(subject) }
        try device.box.setSettings(settings)
    }

    private func signature(_ device: Device) throws -> String {
        String(decoding: try device.box.settings().signature.text, as: UTF8.self)
    }

    @Test("a setting of one device is that of the other, and the other way round")
    func exchange() async throws {
        let (first, second) = (try device(), try device())
        try set(first, signature: "Anna")
        try first.folder.chooseLanguage(.german)
        #expect(try await sync(first) == .done)
        #expect(relay.setting("signature") == "Anna")
        try await sync(second)
        #expect(try signature(second) == "Anna")
        #expect(second.folder.chosenLanguage == .german)
        try set(second, signature: "", subject: "{date}")
        try second.folder.coverText(false)
        try await sync(second)
        try await sync(first)
        #expect(try signature(first) == "")
        #expect(try first.box.settings().templateSource == "{date}")
        #expect(!first.folder.coversText)
        #expect(try first.box.sharedView()?.pending == 0)
    }

    @Test("changes of different settings while the relay is away both stay")
    func differentSettings() async throws {
        let (first, second) = try await agreed()
        relay.fault = .away
        try set(first, signature: "Berta")
        try set(second, subject: "{date}")
        #expect(try await sync(first) == .failed(.unreachable))
        #expect(try await sync(second) == .failed(.unreachable))
        #expect(try first.box.sharedView()?.pending == 1)
        relay.fault = nil
        for device in [first, second, first] { #expect(try await sync(device) == .done) }
        for device in [first, second] {
            #expect(try signature(device) == "Berta")
            #expect(try device.box.settings().templateSource == "{date}")
        }
    }

    @Test("of two signatures a person keeps one", arguments: [SharedBox.Choice.mine, .theirs])
    func question(choice: SharedBox.Choice) async throws {
        let (first, second) = try await agreed()
        relay.fault = .away
        try set(first, signature: "Berta")
        try set(second, signature: "Carla")
        try await sync(first)
        try await sync(second)
        relay.fault = nil
        try await sync(first)
        try await sync(second)
        let question = SharedView.Question(setting: "signature", mine: "Carla", theirs: "Berta")
        #expect(try second.box.sharedView()?.questions == [question])
        #expect(try signature(second) == "Carla", "nothing is taken before a person chooses")
        #expect(relay.setting("signature") == "Berta", "nothing is sent before a person chooses")
        let shared = try shared(second)
        try #expect(shared.choose(choice, of: shared.question(about: "signature")))
        #expect(try await shared.sync(within: Self.patience) == .done)
        await shared.close()
        try await sync(first)
        let kept = choice == .mine ? "Carla" : "Berta"
        #expect(try signature(first) == kept)
        #expect(try signature(second) == kept)
        #expect(relay.setting("signature") == kept)
        #expect(try second.box.sharedView()?.questions == [])
        #expect(throws: MemoError.noQuestion("signature")) {
            try self.shared(second).question(about: "signature")
        }
    }

    @Test(
        "a change that a person makes while another one arrives is asked for, too",
        arguments: [SharedBox.Choice.mine, .theirs]
    )
    func lateQuestion(choice: SharedBox.Choice) async throws {
        let (first, second) = try await agreed()
        try set(second, signature: "Berta")
        try await sync(second)
        // The device reads Berta, and a person has changed the signature meanwhile.
        let shared = try shared(first)
        _ = try shared.reconcile()
        try set(first, signature: "Carla")
        relay.fault = nil
        #expect(await shared.exchange(within: Self.patience) == .done)
        #expect(try shared.reconcile() == false)
        let question = SharedView.Question(setting: "signature", mine: "Carla", theirs: "Berta")
        #expect(try shared.questions() == [question])
        #expect(try shared.choose(choice, of: question))
        #expect(try await shared.sync(within: Self.patience) == .done)
        await shared.close()
        let kept = choice == .mine ? "Carla" : "Berta"
        #expect(try signature(first) == kept)
        #expect(relay.setting("signature") == kept)
    }

    @Test("a synchronisation goes on after one that has failed, in the same process too")
    func again() async throws {
        let device = try device()
        try set(device, signature: "Anna")
        let shared = try shared(device)
        relay.fault = .away
        #expect(try await shared.sync(within: Self.patience) == .failed(.unreachable))
        relay.fault = nil
        #expect(try await shared.sync(within: Self.patience) == .done)
        await shared.close()
        #expect(relay.setting("signature") == "Anna")
    }

    @Test("a process that has seen older records gives no older value back to the device")
    func olderSnapshot() async throws {
        let device = try device()
        try set(device, signature: "Anna")
        try await sync(device)
        let (first, second) = (try shared(device), try shared(device))
        try set(device, signature: "Berta")
        #expect(try first.reconcile())
        #expect(try !second.reconcile())
        #expect(try signature(device) == "Berta")
        await first.close()
        await second.close()
    }

    @Test("a process that has seen older records writes over no value of another device")
    func olderSnapshotOfRecords() async throws {
        let (device, other) = try await agreed()
        let (first, second) = (try shared(device), try shared(device))
        try set(other, signature: "Berta")
        try await sync(other)
        try set(device, signature: "Carla")
        #expect(await first.exchange(within: Self.patience) == .done)
        #expect(try !second.reconcile())
        let question = SharedView.Question(setting: "signature", mine: "Carla", theirs: "Berta")
        for shared in [first, second] { #expect(try shared.questions() == [question]) }
        await first.close()
        #expect(try await second.sync(within: Self.patience) == .done)
        await second.close()
        #expect(relay.setting("signature") == "Berta")
    }

    @Test(
        "a question that has become another one is not answered by an answer to the former one",
        arguments: [SharedBox.Choice.mine, .theirs]
    )
    func formerQuestion(choice: SharedBox.Choice) async throws {
        let (first, second) = try await agreed()
        try set(first, signature: "Berta")
        try await sync(first)
        let shared = try shared(second)
        #expect(await shared.exchange(within: Self.patience) == .done)
        try set(second, signature: "Carla")
        try shared.publish()
        let former = try shared.question(about: "signature")
        try set(first, signature: "Dora")
        try await sync(first)
        #expect(await shared.exchange(within: Self.patience) == .done)
        #expect(try !shared.choose(choice, of: former))
        #expect(try shared.questions().map(\.theirs) == ["Dora"])
        #expect(try signature(second) == "Carla")
        await shared.close()
        #expect(relay.setting("signature") == "Dora")
    }

    @Test("a new device takes the account's language, and asks which signature stays")
    func newDevice() async throws {
        let (first, second) = (try device(), try device())
        try set(first, signature: "Anna")
        try first.folder.chooseLanguage(.german)
        try await sync(first)
        try set(second, signature: "Berta")
        try second.folder.chooseLanguage(.french)
        try await sync(second)
        #expect(second.folder.chosenLanguage == .german)
        #expect(
            try second.box.sharedView()?.questions
                == [SharedView.Question(setting: "signature", mine: "Berta", theirs: "Anna")]
        )
        #expect(relay.setting("signature") == "Anna")
    }

    @Test("a lost answer is asked for: the change is applied once, and confirmed")
    func lostAnswer() async throws {
        let device = try device()
        try await sync(device)
        try set(device, signature: "Anna")
        relay.fault = .answerLost
        #expect(try await sync(device) != .done)
        #expect(try await sync(device) == .done)
        #expect(relay.setting("signature") == "Anna")
        #expect(try device.box.sharedView()?.pending == 0)
        #expect(try device.box.sharedView()?.questions == [])
    }

    @Test(
        "an error never confirms a change",
        arguments: [
            FakeRelay.problem(500, "internal-error"), FakeRelay.problem(429, "too-many-requests"),
            FakeRelay.problem(404, "not-found"),
            RelayAnswer(status: 200, contentType: Array("text/html".utf8)),
            RelayAnswer(status: 302), FakeRelay.answer(200, Array("{}".utf8)),
        ]
    )
    func errors(answer: RelayAnswer) async throws {
        let device = try device()
        try await sync(device)
        try set(device, signature: "Anna")
        relay.fault = .answered(answer)
        #expect(try await sync(device) != .done)
        #expect(try device.box.sharedView()?.pending == 1)
        #expect(try signature(device) == "Anna")
        relay.fault = nil
        #expect(relay.setting("signature") == nil)
        #expect(try signature(device) == "Anna")
    }

    @Test("a revoked device learns it, keeps its changes, and sends them after the next sign-in")
    func revoked() async throws {
        let device = try device()
        try await sync(device)
        try set(device, signature: "Anna")
        relay.fault = .answered(FakeRelay.problem(401, "token-revoked"))
        #expect(try await sync(device) == .failed(.unauthorized))
        #expect(try device.box.accountStanding() == .signedOutElsewhere)
        relay.fault = nil
        device.signIn(at: "http://127.0.0.1:1", token: "second")
        #expect(try await sync(device) == .done)
        #expect(relay.setting("signature") == "Anna")
        #expect(relay.requests.last?.hasSuffix("Bearer second") == true)
    }

    @Test("the changes of one account are never sent as another one, and wait for their own")
    func accounts() async throws {
        let device = try device()
        let first = try #require(try device.box.account())
        try await sync(device)
        relay.fault = .away
        try set(device, signature: "Anna")
        try await sync(device)
        relay.fault = nil
        let shared = try shared(device)
        try device.box.setAccount(
            Account(relay: first.relay, address: "c@d.example", token: "other")
        )
        #expect(try await shared.sync(within: Self.patience) == .failed(.unauthorized))
        await shared.close()
        #expect(relay.setting("signature") == nil)
        let other = try self.shared(device)
        #expect(try other.pendingChanges() == 0)
        await other.close()
        try device.box.setAccount(first)
        let again = try self.shared(device)
        #expect(try again.pendingChanges() == 1)
        #expect(try await again.sync(within: Self.patience) == .done)
        await again.close()
        #expect(relay.setting("signature") == "Anna")
    }

    @Test("an address in other letters' case is the same account, whose changes are sent")
    func lettersCase() async throws {
        let device = try device()
        let first = try #require(try device.box.account())
        relay.fault = .away
        try set(device, signature: "Anna")
        try await sync(device)
        relay.fault = nil
        try device.box.setAccount(
            Account(relay: first.relay, address: "A@B.Example", token: "again")
        )
        #expect(try await sync(device) == .done)
        #expect(relay.setting("signature") == "Anna")
    }

    @Test("what a person gives up is gone, and the account's settings are as they were")
    func discard() async throws {
        let device = try device()
        try await sync(device)
        relay.fault = .away
        try set(device, signature: "Anna")
        try await sync(device)
        try await shared(device).discard()
        relay.fault = nil
        let shared = try shared(device)
        #expect(try shared.pendingChanges() == 0)
        await shared.close()
        #expect(relay.setting("signature") == nil)
    }

    @Test("a revocation shows at once, and the relay is told when it can be reached")
    func revocation() async throws {
        let device = try device()
        relay.tell("own", #""createdAt":1,"kind":"device","name":"Laptop""#)
        relay.tell("lost", #""createdAt":2,"kind":"device","name":"Telephone""#)
        try await sync(device)
        let shared = try shared(device)
        #expect(
            shared.devices.map { String(decoding: $0.name, as: UTF8.self) } == [
                "Telephone", "Laptop",
            ]
        )
        let lost = try #require(shared.devices.first)
        relay.fault = .away
        try shared.revoke(lost)
        #expect(shared.devices.count == 1)
        #expect(try await shared.sync(within: Self.patience) == .failed(.unreachable))
        #expect(try shared.pendingChanges() == 1)
        relay.fault = nil
        await shared.close()
        #expect(try await sync(device) == .done)
        #expect(relay.requests.contains { $0.hasPrefix("DELETE /v1/devices/lost") })
        let again = try self.shared(device)
        #expect(try again.pendingChanges() == 0)
        #expect(throws: MemoError.unknownDevice) { try again.revoke(lost) }
        await again.close()
    }

    @Test("the view has memos of other devices with their device's name, and none of this one")
    func memos() async throws {
        let device = try device()
        let own = try device.box.send("mine")
        relay.tell("d2", #""createdAt":2,"kind":"device","name":"Telephone""#)
        for (id, writer, time) in [
            ("\(own)", "own", 5), ("0192f3c0-1111-7222-8333-444455556666", "d2", 3),
            ("0192f3c0-1111-7222-8333-444455556667", "gone", 4),
        ] {
            relay.tell(
                id,
                #""acceptedAt":\#(time),"device":"\#(writer)","kind":"memo","status":"delivered""#
            )
        }
        try await sync(device)
        let memos = try #require(try device.box.sharedView()).memos
        #expect(memos.map(\.device) == [nil, "Telephone"])
        #expect(memos.map(\.status) == [.delivered, .delivered])
    }

    @Test("nothing that is shared stands unsealed on the disk, confirmed or not")
    func sealed() async throws {
        let device = try device()
        relay.tell("d2", #""createdAt":2,"kind":"device","name":"Kanarienvogel-Telefon""#)
        relay.tell(
            "0192f3c0-1111-7222-8333-444455556666",
            #""acceptedAt":3,"device":"d2","kind":"memo","reason":"smtp.kanarienvogel","status":"bounced""#
        )
        try set(device, signature: "Kanarienvogel")
        try await sync(device)
        relay.fault = .away
        try set(device, signature: "Kanarienvogel zwei", subject: "Kanarienvogel {line}")
        try await sync(device)
        let everything = try device.everything()
        for secret in ["anarienvogel", "a@b.example"] {
            #expect(everything.range(of: Data(secret.utf8)) == nil, "\(secret)")
        }
    }

    @Test("a key under which records are sealed stays when a person takes a new one")
    func rotation() async throws {
        let device = try device()
        try set(device, signature: "Anna")
        try await sync(device)
        #expect(try !device.box.rotateKey().isOldKeyGone)
        #expect(try await sync(device) == .done)
        try set(device, signature: "Berta")
        #expect(try await sync(device) == .done)
        #expect(relay.setting("signature") == "Berta")
    }

    @Test("sending a memo makes no records")
    func sending() throws {
        let device = try device()
        try device.box.send("a memo")
        let files = try FileManager.default.contentsOfDirectory(atPath: device.folder.path)
        #expect(!files.contains { $0.hasPrefix("shared") })
    }
}
