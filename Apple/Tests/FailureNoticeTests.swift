@_spi(Device) import BackgroundTasks
import MemoCore
import MemoTexts
import OutboxCore
import OutboxSQLite
import SQLite
@_spi(Device) import Security
import Synchronization
import Testing
@_spi(Device) import UIKit
@_spi(Device) import UserNotifications
import Waiting

@testable import MemoApp
@testable import MemoDoors
@testable import MemoKit

extension OneDevice {
    /// What tells a person of a memo that did not arrive, over the stand-in of the notification center.
    @MainActor
    @Suite("A memo that did not arrive")
    struct FailureNoticeTests {
        private let phone: Phone

        init() throws {
            device.withLock { $0 = .init() }
            phone = try Phone()
        }

        private func say(_ text: AppText) -> String { Language.english.string(text) }

        private func until(_ condition: () throws -> Bool) async throws {
            try await waitUntil {
                Device.showFrame()
                return try condition()
            }
        }

        private func box() throws -> MemoBox { try MemoBox(folder: phone.folder, keys: .keychain) }

        /// A memo on the relay.
        ///
        /// - Returns: The memo's identifier, as the relay and the notification have it.
        private func send(_ text: String) async throws -> String {
            Device.type(text)
            Device.tap(say(.send))
            let id = try #require(try box().history(limit: 1).first?.id)
            try await until { try box().historyEntry(id)?.status == .sent }
            return String(decoding: id.text, as: UTF8.self)
        }

        /// From now on the relay tells that a memo bounced.
        private func bounce(_ name: String) {
            phone.relay.tell("bounced", because: "dsn.5.1.1", of: name)
        }

        /// A memo on the relay, of which the relay then tells a bounce, and the app learns of it at any
        /// moment from now on.
        ///
        /// - Returns: The memo's identifier, as the relay and the notification have it.
        private func lose(_ text: String) async throws -> String {
            let name = try await send(text)
            bounce(name)
            return name
        }

        private func untold() throws -> Int { try box().untoldFailures(limit: 9).count }

        /// The app runs for a task, to its end.
        private func runTask() async throws {
            if Device.requests.isEmpty { DeliveryRequests.submit() }
            _ = await Device.grant(DeliveryRequests.refresh).end()
        }

        @Test(
            "permission is asked for at the first memo that did not arrive, in front, and never before"
        )
        func asks() async throws {
            try await phone.launch(signedInTo: .accepts)
            let id = try await send("lost")
            await phone.lookForFailures()
            try #require(Device.permissionQuestions == 0)
            Device.leave()
            await phone.rest()
            bounce(id)
            // In the background the question would stand over nothing.
            try await runTask()
            try await until { try untold() == 1 }
            try #require(Device.permissionQuestions == 0)
            #expect(Device.notifications == [])
            Device.comeBack()
            try await until { try untold() == 0 }
            #expect(Device.permissionQuestions == 1)
            #expect(Device.notifications.map(\.identifier) == [id])
            #expect(Device.posts == [id: 1])
            phone.kill()
        }

        @Test("an app that is ended while it looks for permission asks for none")
        func ended() async throws {
            try await phone.launch(signedInTo: .accepts)
            let id = try await send("lost")
            Device.leave()
            await phone.rest()
            bounce(id)
            let looks = Device.permissionLooks
            Device.holdNotificationAnswers()
            Device.comeBack()
            try await until { Device.permissionLooks > looks }
            phone.kill()
            Device.letNotificationAnswersGo()
            for _ in 0..<9 { await Task.yield() }
            #expect(Device.permissionQuestions == 0)
            await phone.launch()
            try await until { Device.permissionQuestions == 1 }
            phone.kill()
        }

        @Test("the notification has no word of the memo, and its button says: send again")
        func content() async throws {
            try await phone.launch(signedInTo: .accepts)
            Device.permit(true)
            _ = try await lose("a secret")
            Device.leave()
            await phone.rest()
            try await runTask()
            let notice = try #require(Device.notifications.first)
            #expect(notice.body == say(.notArrived))
            #expect(Device.buttons(of: notice) == [say(.resend)])
            #expect(Device.permissionQuestions == 0)
            phone.kill()
        }

        @Test("each memo is told of once, over rounds, launches and kills")
        func once() async throws {
            try await phone.launch(signedInTo: .accepts)
            Device.permit(true)
            let ids = [try await lose("one"), try await lose("two")]
            for _ in 0..<3 {
                Device.leave()
                await phone.rest()
                try await runTask()
                phone.kill()
                await phone.launch()
                try await until { try untold() == 0 }
            }
            #expect(Device.posts == [ids[0]: 1, ids[1]: 1])
            // The person dismisses one: it does not come back.
            Device.dismiss(try #require(Device.notifications.first))
            Device.leave()
            await phone.rest()
            try await runTask()
            #expect(Device.notifications.count == 1)
            phone.kill()
        }

        @Test("an app that was killed before it noted what it told tells nothing twice")
        func killedBetween() async throws {
            try await phone.launch(signedInTo: .accepts)
            Device.permit(true)
            let id = try await lose("lost")
            Device.leave()
            await phone.rest()
            try await runTask()
            phone.kill()
            try box().storage.write { connection in
                try connection.execute("UPDATE memo_history SET is_told = 0")
            }
            await phone.launch()
            try await until { try untold() == 0 }
            #expect(Device.posts == [id: 1])
            phone.kill()
        }

        @Test("who refuses is not asked again, and is told below the field and in the history")
        func refused() async throws {
            Device.permissionAnswer = false
            try await phone.launch(signedInTo: .accepts)
            _ = try await lose("lost")
            Device.leave()
            await phone.rest()
            Device.comeBack()
            try await until { Device.permissionQuestions == 1 }
            try await until { Device.screenText.contains(say(.notArrived)) }
            Device.leave()
            await phone.rest()
            Device.comeBack()
            await phone.settle()
            #expect(Device.permissionQuestions == 1)
            #expect(Device.notifications == [])
            // In the system's settings the person changes the answer.
            Device.permit(true)
            Device.leave()
            await phone.rest()
            Device.comeBack()
            try await until { Device.notifications.count == 1 }
            phone.kill()
        }

        @Test("a question without an answer holds up no memo")
        func unanswered() async throws {
            Device.permissionAnswer = nil
            try await phone.launch(signedInTo: .accepts)
            let id = try await lose("lost")
            Device.leave()
            await phone.rest()
            Device.comeBack()
            try await until { Device.permissionQuestions == 1 }
            Device.type("next")
            Device.tap(say(.send))
            try await until { try box().history(limit: 1).first?.status == .sent }
            Device.permit(true)
            try await until { Device.notifications.map(\.identifier) == [id] }
            phone.kill()
        }

        @Test(
            "in front it is added to the list without a banner, and the field keeps its text and keys"
        )
        func quietly() async throws {
            try await phone.launch(signedInTo: .accepts)
            Device.permit(true)
            let id = try await send("lost")
            Device.type("draft")
            Device.leave()
            await phone.rest()
            bounce(id)
            Device.comeBack()
            try await until { Device.presentation(of: id) == .list }
            try await until { Device.screenText.contains(say(.notArrived)) }
            #expect(Device.typed == "draft")
            phone.kill()
        }

        @Test(
            "the button sends a memo that bounced again, once, whatever the app does",
            arguments: [false, true]
        )
        func sendsAgain(isRunning: Bool) async throws {
            try await phone.launch(signedInTo: .accepts)
            Device.permit(true)
            _ = try await lose("lost")
            Device.leave()
            await phone.rest()
            try await runTask()
            let notice = try #require(Device.notifications.first)
            if !isRunning {
                phone.kill()
                phone.launchForNotification()
            }
            await Device.press(say(.resend), of: notice)
            try await waitUntil { phone.relay.memos.count == 2 }
            await phone.rest()
            try await waitUntil { try box().history().map(\.status) == [.sent, .resent] }
            #expect(try box().history().map(\.text) == ["lost", "lost"])
            #expect(Device.notifications == [])
            // A second press, of a notification on another screen, sends no third one.
            await Device.press(say(.resend), of: notice)
            #expect(try box().history().count == 2)
            phone.kill()
        }

        @Test("the button tries a parked memo again under its identifier")
        func parked() async throws {
            try await phone.launch(signedInTo: .refusesMemo)
            Device.permit(true)
            Device.type("parked")
            Device.tap(say(.send))
            try await until { Device.notifications.count == 1 }
            let entry = try #require(try box().history().first)
            #expect(entry.status.isFailure && entry.status.isInOutbox)
            phone.relay.answer(.accepts)
            await Device.press(say(.resend), of: Device.notifications[0])
            try await until { try box().history().map(\.status) == [.sent] }
            #expect(try box().history().map(\.id) == [entry.id])
            phone.kill()
        }

        @Test("a memo that fails again after a person has sent it again is told of again")
        func failsAgain() async throws {
            try await phone.launch(signedInTo: .refusesMemo)
            Device.permit(true)
            Device.type("parked")
            Device.tap(say(.send))
            try await until { Device.notifications.count == 1 }
            let notice = Device.notifications[0]
            await Device.press(say(.resend), of: notice)
            try await until { Device.posts == [notice.identifier: 2] }
            phone.kill()
        }

        @Test(
            "what the person has seen in the history has no notification, and loses the one it had"
        )
        func seen() async throws {
            try await phone.launch(signedInTo: .accepts)
            Device.permit(true)
            _ = try await lose("lost")
            Device.leave()
            await phone.rest()
            try await runTask()
            #expect(Device.notifications.count == 1)
            Device.comeBack()
            Device.tap(say(.history))
            try await until { Device.notifications == [] }
            try await until { try box().unseenFailures() == 0 }
            phone.kill()
        }

        @Test("a tap shows the history, and a text that is typed stays", arguments: [false, true])
        func tapped(isRunning: Bool) async throws {
            try await phone.launch(signedInTo: .accepts)
            Device.permit(true)
            _ = try await lose("lost")
            await phone.write("draft")
            Device.leave()
            await phone.rest()
            try await runTask()
            let notice = try #require(Device.notifications.first)
            if isRunning {
                await Device.tap(notice)
                Device.comeBack()
            } else {
                phone.kill()
                phone.launchForNotification()
                await Device.tap(notice)
                await phone.openFirstWindow()
            }
            try await until { Device.rows.contains { $0.contains(say(.statusBounced)) } }
            Device.tap(say(.close))
            try await until { Device.typed == "draft" }
            phone.kill()
        }

        @Test("a notification speaks the app's language, also when that was changed since")
        func language() async throws {
            try phone.signIn()
            await phone.launch(in: .german)
            Device.permit(true)
            Device.type("verloren")
            Device.tap(Language.german.string(.send))
            let id = try #require(try box().history().first?.id)
            try await until { try box().historyEntry(id)?.status == .sent }
            phone.relay.tell(
                "bounced",
                because: "dsn.5.1.1",
                of: String(decoding: id.text, as: UTF8.self)
            )
            Device.leave()
            await phone.rest()
            try await runTask()
            let notice = try #require(Device.notifications.first)
            #expect(notice.body == Language.german.string(AppText.notArrived))
            #expect(Device.buttons(of: notice) == [Language.german.string(AppText.resend)])
            phone.kill()
        }

        @Test("every permission, in front and not, has its step")
        func steps() {
            typealias Rule = FailureNoticeRule
            let steps = Rule.Permission.allCases.map { permission in
                [false, true].map { Rule(permission: permission).step(isInFront: $0) }
            }
            #expect(steps == [[.wait, .ask], [.tell, .tell], [.wait, .wait]])
        }
    }
}
