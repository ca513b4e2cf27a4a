@_spi(Device) import BackgroundTasks
import Dispatch
import Foundation
import MemoCore
import MemoKit
import MemoTexts
@_spi(Device) import Security
import Synchronization
import Testing
@_spi(Device) import UIKit
import Waiting

@testable import MemoApp
@testable import MemoDoors

extension OneDevice {
    /// The doors of the app, over the stand-ins, with the real box: each with an open draft, in each state of
    /// the app.
    @MainActor
    @Suite("The doors")
    struct DoorTests {
        private let phone: Phone

        init() throws {
            device.withLock { $0 = .init() }
            phone = try Phone()
        }

        private func say(_ text: AppText) -> String { Language.english.string(text) }

        private func memos() throws -> [String?] {
            try MemoBox(folder: phone.folder, keys: .keychain).history().map(\.text)
        }

        // MARK: A draft

        enum Door: CaseIterable {
            case quickAction, widget, control, intent, share

            /// Whether the door opens the app, for typing.
            var opensApp: Bool { self != .intent && self != .share }
        }

        enum AppState: CaseIterable {
            case ended, suspended, inFront, onHistory, editingSignature, signingIn

            var isOnScreen: Bool { self != .ended && self != .suspended }
        }

        @Test(
            "an open draft survives each door, in each state",
            arguments: Door.allCases,
            AppState.allCases
        )
        func draft(door: Door, state: AppState) async throws {
            try await bring(to: state)
            try await pass(door, state)
            #expect(try memos() == (door.opensApp ? [] : ["by a door"]))
            // A door that stores leaves the screen alone.
            if door == .intent, state == .ended {
                await phone.openFirstWindow()
            } else if !door.opensApp {
                try await pass(.widget, state)
            }
            #expect(Device.typed == "draft")
            await phone.write(" goes on")
            #expect(Device.typed == "draft goes on")
            #expect(try MemoBox(folder: phone.folder, keys: .keychain).history().count < 2)
            Device.leave()
            await phone.rest()
            phone.kill()
        }

        private func bring(to state: AppState) async throws {
            if state != .signingIn { try phone.signIn() }
            await phone.launch()
            await phone.write("draft")
            switch state {
            case .ended, .suspended:
                Device.leave()
                await phone.rest()
                if state == .ended { phone.kill() }
            case .inFront: break
            case .onHistory:
                Device.tap(say(.history))
                await phone.settle()
            case .editingSignature:
                try await openSignature()
                Device.type("Ann")
                await phone.settle()
            case .signingIn:
                Device.tap(say(.settings))
                await phone.settle()
                Device.tapRow(say(.address))
                await phone.settle()
                Device.write("ann@b.example")
            }
        }

        private func openSignature() async throws {
            Device.tap(say(.settings))
            await phone.settle()
            Device.tapRow(say(.signature))
            await phone.settle()
        }

        private func pass(_ door: Door, _ state: AppState) async throws {
            switch door {
            case .quickAction, .widget, .control:
                let event = DoorEvents.Event.typingAsked
                if state == .ended {
                    if door == .control { phone.launch(for: event) }
                    // The system tells the window by which door it was opened: the app need not know.
                    if door == .control {
                        await phone.openFirstWindow()
                    } else {
                        await phone.launch()
                    }
                } else if door == .control {
                    phone.doors.post(event)
                    Device.comeBack()
                } else {
                    Device.comeBack(by: door == .widget ? .widget : .quickAction)
                }
                await phone.settle()
            case .intent:
                try await phone.passDoor("by a door")
                if state == .ended {
                    phone.launch(for: .memoStored)
                } else {
                    phone.doors.post(.memoStored)
                }
                if !state.isOnScreen { await phone.rest() }
            case .share:
                Device.isExtension = !state.isOnScreen
                // Who is not signed in is told so.
                let isTold = state == .signingIn
                #expect(await share(title: nil, text: "by a door", link: nil, answering: isTold))
                Device.isExtension = false
            }
        }

        @Test("a text on another screen survives a door, and the person finds it there again")
        func otherText() async throws {
            try await bring(to: .editingSignature)
            Device.comeBack(by: .quickAction)
            #expect(Device.typed == "draft")
            try await openSignature()
            #expect(Device.typed == "Ann")
            Device.comeBack(by: .widget)
            Device.tap(say(.settings))
            await phone.settle()
            #expect(Device.rows.count > 1)
            phone.kill()
        }

        @Test("a door shows the field of the window that was used last")
        func windows() async throws {
            Device.hasWindows = true
            await phone.launch()
            await phone.write("one")
            await phone.openWindow()
            await phone.write("two")
            Device.tap(say(.history))
            await phone.settle()
            phone.doors.post(.typingAsked)
            Device.showFrame()
            #expect(Device.typed == "two")
            Device.use(0)
            #expect(Device.typed == "one")
            phone.kill()
        }

        // MARK: Storing

        @Test("a door stores without the app, holds no lock, and has the app deliver")
        func stores() async throws {
            try phone.signIn()
            #expect(try await phone.passDoor("by a door") == .leaves)
            #expect(try memos() == ["by a door"])
            #expect(Device.requests == [DeliveryRequests.refresh, DeliveryRequests.processing])
            #expect(phone.relay.attempts == 0)
            let task = phone.launch(for: DeliveryRequests.refresh)
            #expect(await task.end())
            #expect(Array(phone.relay.memos.values) == [1])
            phone.kill()
        }

        @Test(
            "a memo of an intent beside the suspended app leaves at once, in time that the app asks for"
        )
        func beside() async throws {
            try phone.signIn()
            await phone.launch()
            Device.leave()
            await phone.rest()
            try await phone.passDoor("by a door")
            phone.doors.post(.memoStored)
            #expect(Device.backgroundTasks > 0)
            try await waitUntil { phone.relay.memos.count == 1 }
            await phone.rest()
            #expect(Device.requests == [])
            phone.kill()
        }

        @Test("where the system gives no time, the person is told, and nothing is stored")
        func noTime() async throws {
            Device.refusesTime = true
            await #expect(throws: DoorError.noTime) { _ = try await phone.door.store("text") }
            #expect(try memos() == [])
            #expect(DoorError.noTime.sentence(in: .english) == say(.memoNotStored))
        }

        @Test("where the time ends while a text is stored, it is stored, and no lock is left")
        func timeEnds() async throws {
            let (begun, go) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            let path = phone.folder.path
            let door = MemoDoor { () throws(MemoError) in
                begun.signal()
                go.wait()
                return try MemoBox(folder: DataFolder(path: path), keys: .keychain)
            }
            let stored = Task { try await door.store("text") }
            await withCheckedContinuation { continuation in
                DispatchQueue.global().async {
                    begun.wait()
                    continuation.resume()
                }
            }
            DispatchQueue.global().async { go.signal() }
            Device.suspend()
            #expect(try await stored.value == .leavesSignedIn)
            try await waitUntil { Device.runningTasks == 0 }
            #expect(try memos() == ["text"])
        }

        @Test("a text that cannot be stored is told of, and nothing is stored")
        func refused() async throws {
            let long = String(repeating: "x", count: MemoBox.maximumTextLength + 1)
            await #expect(throws: DoorError.notStored(.tooLong(limit: MemoBox.maximumTextLength))) {
                _ = try await phone.door.store(long)
            }
            await #expect(throws: DoorError.notStored(.emptyMemo)) {
                _ = try await phone.door.store(" ")
            }
            try await waitUntil { Device.runningTasks == 0 }
            phone.fillDisk()
            await #expect(throws: DoorError.self) { _ = try await phone.door.store("text") }
            try await waitUntil { Device.runningTasks == 0 }
            phone.emptyDisk()
            #expect(try memos() == [])
            #expect(Device.requests == [])
        }

        @Test("before the first unlock nothing is stored, and no other key is made")
        func locked() async throws {
            try phone.signIn()
            device.withLock { $0.isUnlockedOnce = false }
            await #expect(throws: DoorError.notStored(.keyringLocked)) {
                _ = try await phone.door.store("text")
            }
            try await waitUntil { Device.runningTasks == 0 }
            device.withLock { $0.isUnlockedOnce = true }
            #expect(try memos() == [])
            #expect(device.withLock { $0.count } == 1)
        }

        // MARK: The share extension

        /// Shares something, and waits for the end of the extension.
        ///
        /// - Returns: Whether the other app hears that it was stored.
        private func share(
            title: String?,
            text: String?,
            link: String?,
            answering: Bool = false
        ) async -> Bool {
            let item = NSExtensionItem()
            item.attributedContentText = title.map { NSAttributedString(string: $0) }
            var parts: [NSItemProvider] = []
            if let text {
                parts.append(NSItemProvider(NSString(string: text), as: "public.plain-text"))
            }
            if let link { parts.append(NSItemProvider(NSURL(string: link)!, as: "public.url")) }
            item.attachments = parts
            let door = phone.door
            let isStored = await withCheckedContinuation { continuation in
                let request = NSExtensionContext([item]) { continuation.resume(returning: $0) }
                Device.run(ShareViewController(door: door) { .english }, for: request)
                if answering { answerWhenAsked() }
            }
            try? await waitUntil { Device.runningTasks == 0 }
            return isStored
        }

        private func answerWhenAsked() {
            Task {
                try await waitUntil { Device.extensionAlert != nil }
                heard.alert = Device.extensionAlert
                Device.answerExtension()
            }
        }

        /// What the extension has said last.
        @MainActor
        private final class Heard {
            var alert: String?
        }

        private let heard = Heard()

        @Test("a page is shared as its title and its link, and the extension ends at once")
        func page() async throws {
            try phone.signIn()
            Device.isExtension = true
            #expect(await share(title: "A page", text: nil, link: "https://example.org/page"))
            #expect(Device.extensionAlert == nil)
            #expect(try memos() == ["A page\nhttps://example.org/page"])
            #expect(phone.relay.attempts == 0)
        }

        @Test("a file stays in its app, and nothing is stored: the person reads so")
        func file() async throws {
            Device.isExtension = true
            #expect(await !share(title: nil, text: nil, link: "file:///a.txt", answering: true))
            #expect(heard.alert == MemoError.emptyMemo.sentence(in: .english))
            #expect(try memos() == [])
        }

        @Test("who is not signed in reads that the memo is kept until then")
        func signedOut() async throws {
            Device.isExtension = true
            #expect(await share(title: nil, text: "kept", link: nil, answering: true))
            #expect(heard.alert == say(.savedSignedOut))
            #expect(try memos() == ["kept"])
        }
    }
}
