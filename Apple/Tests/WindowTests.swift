@_spi(Device) import BackgroundTasks
import MemoKit
import MemoTexts
@_spi(Device) import Security
import Synchronization
import Testing
@_spi(Device) import UIKit
import Waiting

@testable import MemoApp

extension OneDevice {
    /// Windows of one process side by side, each with a draft, with the real box and a relay in memory.
    @MainActor
    @Suite("Windows side by side")
    struct WindowTests {
        private let phone: Phone
        private let send = Language.english.string(.send)

        init() throws {
            device.withLock { $0 = .init() }
            phone = try Phone()
            Device.hasWindows = true
        }

        /// The drafts on the disk, as a later process finds them.
        private func stored() throws -> Set<String> {
            let box = try MemoBox(folder: phone.folder, keys: .keychain)
            let found = try (0..<10).map { try box.draft(of: ComposerID($0)) }
            return Set(found.compactMap { $0 })
        }

        /// Two windows with a saved text each, the second one in use.
        private func openBoth() async {
            await phone.launch()
            await phone.write("left")
            await phone.openWindow()
            #expect(Device.typed == "")
            await phone.write("right")
        }

        @Test("have a draft each, which outlives the process; neither shows the other's")
        func separate() async throws {
            await openBoth()
            Device.use(0)
            #expect(Device.typed == "left")
            Device.type(" side")
            Device.use(1)
            Device.type(" side")
            phone.wait(milliseconds: 200)
            await phone.settle()
            phone.kill()
            #expect(try stored() == ["left side", "right side"])
        }

        @Test(
            "return with their own drafts after a kill, in whichever order",
            arguments: [[0, 1], [1, 0]]
        )
        func restored(order: [Int]) async throws {
            await openBoth()
            phone.kill()
            await phone.launch(byWindow: order[0])
            await phone.returnToWindow(order[1])
            Device.use(0)
            #expect(Device.typed == "left")
            Device.use(1)
            #expect(Device.typed == "right")
            phone.kill()
        }

        @Test("an empty window that returns first leaves the draft to the window that has it")
        func emptyFirst() async throws {
            await openBoth()
            Device.tap(send)
            await phone.settle()
            phone.kill()
            await phone.launch(byWindow: 1)
            #expect(Device.typed == "")
            await phone.returnToWindow(0)
            #expect(Device.typed == "left")
            phone.kill()
        }

        @Test("send a memo each, once, and leave the other's text alone")
        func sends() async throws {
            try phone.signIn()
            await openBoth()
            Device.tap(send)
            #expect(try phone.memos() == ["right"])
            Device.use(0)
            #expect(Device.typed == "left")
            // An attempt that a kill cuts off is made again, under its identifier.
            try await waitUntil { try phone.waiting() == 0 }
            phone.kill()
            #expect(try stored() == ["left"])
            await phone.launch(byWindow: 0)
            #expect(Device.typed == "left")
            Device.tap(send)
            try await waitUntil { try phone.waiting() == 0 }
            #expect(try phone.memos() == ["left", "right"])
            #expect(Set(phone.relay.memos.values) == [1])
            #expect(phone.relay.memos.count == 2)
            phone.kill()
            #expect(try stored() == [])
        }

        @Test("a closed window's draft waits for the next new window, and is in no other one")
        func closed() async throws {
            await openBoth()
            Device.leaveWindow()
            await phone.settle()
            Device.close(1)
            await phone.settle()
            Device.use(0)
            #expect(Device.typed == "left")
            await phone.openWindow()
            #expect(Device.typed == "right")
            phone.kill()
            #expect(try stored() == ["left", "right"])
        }

        @Test("a window whose scene the system lets go of has its draft when it returns")
        func disconnected() async throws {
            await openBoth()
            Device.leaveWindow()
            await phone.settle()
            Device.disconnect(1)
            await phone.settle()
            let third = await phone.openWindow()
            #expect(Device.typed == "")
            await phone.write("third")
            await phone.returnToWindow(1)
            #expect(Device.typed == "right")
            Device.use(third)
            #expect(Device.typed == "third")
            phone.kill()
            #expect(try stored() == ["left", "right", "third"])
        }

        @Test("the app is in front while one window is, and its box is open")
        func front() async throws {
            try phone.signIn()
            await openBoth()
            Device.leaveWindow()
            await phone.rest()
            Device.use(0)
            Device.tap(send)
            try await waitUntil { try phone.waiting() == 0 }
            #expect(phone.relay.memos.count == 1)
            Device.leave()
            await phone.rest()
            Device.comeBack()
            Device.use(1)
            #expect(Device.typed == "right")
            Device.tap(send)
            await phone.settle()
            phone.kill()
            #expect(try stored() == [])
            #expect(try phone.memos() == ["right", "left"])
        }

        @Test(
            "the app has left when its last window is closed, also one that was in front",
            arguments: [true, false]
        )
        func lastClosed(isTold: Bool) async throws {
            try await phone.launch(signedInTo: .acceptsInSilence)
            Device.type("one")
            Device.tap(send)
            await phone.relay.holdsAttempt()
            Device.close(0, isTold: isTold)
            #expect(Device.backgroundTasks > 0)
            // The stand-in ends the test at a lock of an app without a window and without time.
            Device.suspend()
            #expect(try phone.waiting() == 1)
            #expect(!Device.requests.isEmpty)
            phone.kill()
        }

        @Test("a draft that both could take, of an app that had one window, is taken by one")
        func oneDraft() async throws {
            await phone.launch()
            await phone.write("only")
            phone.kill()
            Device.reset()
            Device.hasWindows = true
            phone.launchAtOnce()
            let second = await phone.openWindow()
            let right = Device.typed
            Device.use(second - 1)
            #expect([Device.typed, right] == ["only", ""])
            phone.kill()
        }
    }
}
