@_spi(Device) import BackgroundTasks
import MemoCore
import MemoKit
import MemoTexts
import Outbox
@_spi(Device) import Security
import Synchronization
import Testing
@_spi(Device) import UIKit
import Waiting

@testable import MemoApp
@testable import MemoDoors

extension OneDevice {
    /// The app's deliveries, over the stand-ins of UIKit and of the scheduler, with the real box, courier and
    /// drain.
    @MainActor
    @Suite("The deliveries")
    struct DeliveryTests {
        private let phone: Phone
        private let tasks: Set = [DeliveryRequests.refresh, DeliveryRequests.processing]

        init() throws {
            device.withLock { $0 = .init() }
            phone = try Phone()
        }

        private func send(_ text: String) {
            Device.type(text)
            Device.tap(Language.english.string(.send))
        }

        private func status() throws -> [HistoryStatus] {
            try MemoBox(folder: phone.folder, keys: .keychain).history().map(\.status)
        }

        private func until(_ condition: () throws -> Bool) async throws {
            try await waitUntil { try condition() }
        }

        @Test("a memo leaves while the app is in front, each in its turn")
        func inFront() async throws {
            try phone.signIn()
            await phone.launch()
            send("one")
            try await until { try status() == [.sent] }
            send("two")
            send("three")
            try await until { try status() == [.sent, .sent, .sent] }
            #expect(Array(phone.relay.memos.values) == [1, 1, 1])
            phone.kill()
        }

        @Test("nothing is attempted while nobody is signed in, and no task is asked for")
        func signedOut() async throws {
            await phone.launch()
            send("one")
            await phone.settle()
            Device.leave()
            await phone.rest()
            #expect(phone.relay.attempts == 0)
            #expect(Device.requests == [])
            #expect(try phone.waiting() == 1)
        }

        @Test("an app that leaves delivers on, and gives the time back with every lock freed")
        func leaves() async throws {
            try await phone.launch(signedInTo: .acceptsInSilence)
            send("one")
            await phone.relay.holdsAttempt()
            Device.leave()
            #expect(Device.backgroundTasks > 0)
            phone.relay.answerAll()
            await phone.rest()
            #expect(try status() == [.sent])
            #expect(Device.requests == [])
        }

        @Test(
            "time that ends in the middle of an attempt: no lock is left, and the memo is sent once more"
        )
        func expires() async throws {
            try await phone.launch(signedInTo: .acceptsInSilence)
            send("one")
            await phone.relay.holdsAttempt()
            Device.leave()
            Device.suspend()
            #expect(Device.backgroundTasks == 0)
            #expect(Device.requests == tasks)
            #expect(Device.requestsForNetwork == [DeliveryRequests.processing])
            #expect(try phone.waiting() == 1)
            phone.relay.answer(.accepts)
            Device.comeBack()
            try await until { try status() == [.sent] }
            // The relay knows the memo by its identifier: the second one is the first one.
            #expect(Array(phone.relay.memos.values) == [2])
            phone.kill()
        }

        @Test("a system that gives no time: no lock is left, and a task is asked for")
        func noTime() async throws {
            try await phone.launch(signedInTo: .acceptsInSilence)
            send("one")
            await phone.relay.holdsAttempt()
            await phone.settle()
            Device.refusesTime = true
            Device.leave()
            #expect(Device.requests == tasks)
            #expect(try phone.waiting() == 1)
        }

        @Test("a draft that was saved before the suspension is the same one after it")
        func draft() async throws {
            await phone.launch()
            Device.type("draft")
            Device.leave()
            await phone.rest()
            Device.comeBack()
            send("")
            await phone.settle()
            phone.kill()
            await phone.launch()
            #expect(Device.typed == "")
            #expect(try phone.memos() == ["draft"])
        }

        @Test("a task launches the app without a window, delivers, and asks for no other")
        func task() async throws {
            try await phone.launch(signedInTo: .unreachable)
            send("one")
            try await until { phone.relay.attempts > 0 }
            Device.leave()
            Device.suspend()
            phone.kill()
            phone.relay.answer(.accepts)
            let task = phone.launch(for: DeliveryRequests.processing)
            #expect(await task.end())
            #expect(try status() == [.sent])
            #expect(Device.requests == [])
        }

        @Test("a task whose time ends is ended, has asked for the next one, and leaves no lock")
        func taskExpires() async throws {
            try await phone.launch(signedInTo: .unreachable)
            send("one")
            try await until { phone.relay.attempts > 0 }
            Device.leave()
            Device.suspend()
            phone.kill()
            phone.relay.answer(.acceptsInSilence)
            let task = phone.launch(for: DeliveryRequests.refresh)
            await phone.relay.holdsAttempt()
            #expect(Device.requests == tasks)
            #expect(await !task.expire())
            #expect(Device.requests == tasks)
            #expect(try phone.waiting() == 1)
        }

        @Test(
            "a task before the first unlock attempts nothing, makes no key, and asks for the next one"
        )
        func beforeFirstUnlock() async throws {
            try await phone.launch(signedInTo: .unreachable)
            send("one")
            try await until { phone.relay.attempts > 0 }
            Device.leave()
            Device.suspend()
            phone.kill()
            let attempts = phone.relay.attempts
            device.withLock { $0.isUnlockedOnce = false }
            let task = phone.launch(for: DeliveryRequests.refresh)
            _ = await task.end()
            #expect(phone.relay.attempts == attempts)
            #expect(Device.requests == tasks)
            #expect(device.withLock { $0.count } == 1)
            phone.kill()
            device.withLock { $0.isUnlockedOnce = true }
            phone.relay.answer(.accepts)
            #expect(await phone.launch(for: DeliveryRequests.refresh).end())
            #expect(try status() == [.sent])
        }

        @Test("a person who comes back during a task: the task ends, and the delivery goes on")
        func comesBack() async throws {
            try await phone.launch(signedInTo: .acceptsInSilence)
            send("one")
            await phone.relay.holdsAttempt()
            Device.leave()
            Device.comeBack()
            #expect(Device.backgroundTasks == 0)
            phone.relay.answerAll()
            try await until { try status() == [.sent] }
            phone.kill()
        }

        @Test("a courier of another process delivers: this one waits for its turn")
        func elsewhere() async throws {
            try phone.signIn()
            let other = try MemoBox(folder: phone.folder, keys: .keychain)
            var claim = try other.outbox.storage.claimDrain()
            #expect(claim != nil)
            await phone.launch()
            send("one")
            // The courier has found the other one.
            try await until { phone.pendingTimers(after: Deliveries.patience) > 0 }
            #expect(phone.relay.attempts == 0)
            claim = nil
            phone.wait(milliseconds: Deliveries.patience)
            try await until { try status() == [.sent] }
            phone.kill()
        }
    }
}
