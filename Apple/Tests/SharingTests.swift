import Foundation
import MemoCore
import MemoSharing
import MemoTexts
import Outbox
import OutboxCore
@_spi(Device) import Security
import Store
import Synchronization
import TemporaryFolders
import Testing
@_spi(Device) import UIKit
import Waiting

@testable import MemoApp
@testable import MemoCourier
@testable import MemoKit

extension OneDevice {
    /// Two telephones and a terminal of one person, with a relay in memory.
    @MainActor
    @Suite("What the devices of a person share")
    struct SharingTests {
        /// A telephone without its screen, or a terminal with its agent: a box, and what synchronises it.
        private final class Other {
            let folder: DataFolder
            let queue: BoxQueue
            private let temporary: TemporaryFolder

            init() throws {
                temporary = try TemporaryFolder()
                let path = temporary.file("data")
                folder = DataFolder(path: path)
                queue = BoxQueue { () throws(MemoError) in
                    try MemoBox(folder: DataFolder(path: path), keys: .keychain) { _ in }
                }
                try queue.now { box throws(MemoError) in try box.setAccount(SharingTests.account) }
            }

            func set(signature: String) throws {
                try queue.now { box throws(MemoError) in
                    var settings = try box.settings()
                    try settings.setSignature(signature)
                    try box.setSettings(settings)
                }
            }

            var signature: String {
                get throws {
                    let settings = try queue.now { box throws(MemoError) in try box.settings() }
                    return String(decoding: settings.signature.text, as: UTF8.self)
                }
            }
        }

        private nonisolated static let account = Account(
            relay: "http://127.0.0.1:1",
            address: "a@b.example",
            token: "token"
        )

        private let relay = FakeRelay()

        init() {
            device.withLock { $0 = .init() }
        }

        private func sync(_ devices: Other...) async {
            for device in devices { _ = await device.queue.share(by: relay.client) }
        }

        @Test(
            "two telephones and a terminal that change settings offline agree, and a person is asked once"
        )
        func agree() async throws {
            let (first, second) = (try Other(), try Other())
            // As memo-agent does it.
            let terminal = try MemoBox(
                folder: DataFolder(path: TemporaryFolder().file("data")),
                keys: .keychain
            ) { _ in }
            try terminal.setAccount(Self.account)
            func syncTerminal() async throws {
                let shared = try SharedBox(box: terminal, client: relay.client)
                _ = try await shared.sync()
                await shared.close()
            }
            try first.set(signature: "Anna")
            await sync(first, second)
            try await syncTerminal()
            #expect(try second.signature == "Anna")
            relay.fault = .away
            try first.set(signature: "Berta")
            try second.folder.chooseLanguage(.german)
            var settings = try terminal.settings()
            try settings.setSignature("Carla")
            try terminal.setSettings(settings)
            await sync(first, second)
            try await syncTerminal()
            relay.fault = nil
            await sync(first, second)
            try await syncTerminal()
            #expect(try terminal.sharedView()?.questions.map(\.mine) == ["Carla"])
            let shared = try SharedBox(box: terminal, client: relay.client)
            try shared.choose(.theirs, of: shared.question(about: "signature"))
            _ = try await shared.sync()
            await shared.close()
            await sync(first, second)
            #expect(try first.signature == "Berta")
            #expect(try second.signature == "Berta")
            #expect(try terminal.settings().signature.text == Array("Berta".utf8))
            #expect(first.folder.chosenLanguage == .german)
            #expect(terminal.folder.chosenLanguage == .german)
        }

        @Test(
            "a choice on the telephone is kept, and no lock is left when it is suspended meanwhile"
        )
        func suspended() async throws {
            let (first, second) = (try Other(), try Other())
            try first.set(signature: "Anna")
            await sync(first, second)
            relay.fault = .away
            try first.set(signature: "Berta")
            try second.set(signature: "Carla")
            await sync(first, second)
            relay.fault = nil
            await sync(first, second)
            let asked = try second.queue.now { box throws(MemoError) in
                try box.sharedView()?.questions.map(\.theirs)
            }
            #expect(asked == ["Berta"])
            // In the middle of the exchange, of which no answer comes.
            let (arrivals, arrived) = AsyncStream.makeStream(of: Void.self)
            let silent = RelayClient { _ in
                arrived.yield()
                try? await Task.sleep(for: .seconds(3600))
                return .failure(.cancelled)
            }
            let choice = Task {
                await second.queue.share(by: silent) { shared throws(MemoError) in
                    try shared.choose(.mine, of: shared.question(about: "signature"))
                }
            }
            for await _ in arrivals { break }
            Device.reset()
            Device.group = second.folder.path
            let process = Device.noteTask()
            second.queue.sleep(within: .seconds(10))
            // The stand-in ends the test at a lock in the folder.
            Device.noteEndOfTask(of: process)
            second.queue.wake()
            _ = await choice.value
            await sync(second, first)
            #expect(try first.signature == "Carla")
            #expect(try second.signature == "Carla")
            #expect(relay.setting("signature") == "Carla")
        }

        @Test(
            "the settings ask which text stays, with three offers, and tell what is not confirmed"
        )
        func screens() async throws {
            let phone = try Phone()
            try phone.signIn(at: "http://127.0.0.1:1")
            var view = SharedView(relay: "http://127.0.0.1:1", address: "a@b.example")
            view.pending = 2
            view.questions = [
                SharedView.Question(setting: "signature", mine: "Ann", theirs: "Anna")
            ]
            let box = try MemoBox(folder: phone.folder, keys: .keychain)
            try box.setSharedView(view)
            phone.relay.answer(.unreachable)
            await phone.launch()
            // The synchronisation of the launch knows of nothing.
            try await waitUntil { try box.sharedView()?.pending == 0 }
            try box.setSharedView(view)
            let say = { (text: AppText) in Language.english.string(text) }
            Device.tap(say(.settings))
            await phone.settle()
            #expect(Device.rows.first?.contains("Ann") == true)
            let asked = [say(.shareDiscard), say(.edit), say(.retryNow)]
            #expect(Device.offers(of: say(.signature)) == asked)
            let pending = Language.english.string(AppText.changesUnconfirmed, "2")
            #expect(Device.rows.contains { $0.contains(pending) })
            phone.kill()
        }

        @Test(
            "devices are listed without a network, and one that is signed out then leaves at once; the relay learns of it later"
        )
        func devices() async throws {
            let say = { (text: AppText) in Language.english.string(text) }
            let phone = try Phone()
            try phone.signIn(at: "http://127.0.0.1:1")
            let created = #""createdAt":1"#
            relay.tell("own", #""kind":"device","name":"This phone",\#(created)"#)
            relay.tell("d2", #""kind":"device","name":"Old phone",\#(created)"#)
            phone.relay.shares { [relay] in relay.answer($0) }
            await phone.launch()
            func view() throws -> SharedView? {
                try MemoBox(folder: phone.folder, keys: .keychain).sharedView()
            }
            try await waitUntil { try view()?.devices.count == 2 }
            #expect(
                try view()?.devices.first(where: \.isCurrent)?.id == Array("own".utf8)
            )
            phone.relay.answer(.unreachable)
            phone.isConnected.commit { $0 = false }
            Device.tap(say(.settings))
            try await waitUntil {
                Device.showFrame()
                return Device.rows.contains { $0.hasPrefix(say(.devices)) }
            }
            Device.tapRow(say(.devices))
            try await waitUntil {
                Device.showFrame()
                return Device.rows.count == 2
            }
            #expect(Device.offers(of: "Old phone") == [say(.signOut)])
            #expect(Device.offers(of: "This phone") == [])
            Device.swipe("Old phone", say(.signOut))
            Device.answer(say(.signOut))
            try await waitUntil {
                Device.showFrame()
                return Device.rows.count == 1
            }
            let leaving = Language.english.string(CommandText.deviceLeaving, "Old phone")
            try await waitUntil { Device.announcements.last == leaving }
            #expect(phone.relay.revocations == 0)
            #expect(try view()?.pending == 1)
            // Also over a restart.
            phone.kill()
            await phone.launch()
            #expect(try view()?.devices.count == 1)
            phone.relay.answer(.accepts)
            Device.leave()
            await phone.rest()
            Device.comeBack()
            try await waitUntil { phone.relay.revocations == 1 }
            try await waitUntil { try view()?.pending == 0 }
            #expect(try view()?.devices.map(\.name) == ["This phone"])
            phone.kill()
        }

        @Test("a change that the relay refuses stands in the settings, with three offers")
        func refused() {
            var state = SettingsState(coversText: true)
            state.address = "a@b.example"
            var view = SharedView(relay: "r", address: "a@b.example")
            view.questions = [
                SharedView.Question(
                    setting: "signature",
                    mine: "Ann",
                    theirs: "",
                    isRefused: true
                )
            ]
            state.shared = view
            #expect(state.rows.first == .question("signature"))
            let row = state.row(.question("signature"), in: .english)
            #expect(row.detail == "Ann\n" + Language.english.string(AppText.changeRefused))
            #expect(row.offers == [.takeTheirs, .edit, .keepMine])
        }

        @Test("no device is offered to be signed out while nobody knows which one this is")
        func unknownDevice() {
            var state = DevicesState()
            state.shared = ["a", "b"].map { name in
                SharedView.Device(
                    id: Array(name.utf8),
                    name: name,
                    createdAt: WallTime(millisecondsSinceEpoch: 1),
                    isCurrent: false
                )
            }
            #expect(state.devices.map(\.isRevocable) == [false, false])
            state.shared[1].isCurrent = true
            #expect(state.devices.map(\.isRevocable) == [true, false])
        }

        @Test("the history has the memos of other devices in their places, without a text")
        func history() throws {
            func memo(_ time: Int64, _ device: String?) -> SharedView.Memo {
                let time = WallTime(millisecondsSinceEpoch: time)
                return SharedView.Memo(
                    id: .random(at: time),
                    status: .delivered,
                    device: device,
                    acceptedAt: time
                )
            }
            let phone = try Phone()
            try MemoBox(folder: phone.folder, keys: .keychain).send("own")
            let own = try MemoBox(folder: phone.folder, keys: .keychain).history()
            let later = memo(own[0].createdAt.millisecondsSinceEpoch + 1, "Laptop")
            let earlier = memo(1, nil)
            var state = HistoryState()
            state.show(own, [later, earlier], hasMore: false)
            #expect(state.rows == [.elsewhere(later.id), .memo(own[0].id), .elsewhere(earlier.id)])
            // What is older than the read ones comes with them.
            state.show(own, [later, earlier], hasMore: true)
            #expect(state.rows == [.elsewhere(later.id), .memo(own[0].id), .more])
            state.show([], [], hasMore: false)
            #expect(state.rows == [.empty])
            let words = Language.english.string(AppText.writtenOn, "Laptop")
            #expect(ListRow(later, in: .english).title == words)
            let elsewhere = Language.english.string(AppText.writtenElsewhere)
            #expect(ListRow(earlier, in: .english).title == elsewhere)
        }
    }
}
