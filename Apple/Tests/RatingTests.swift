import Foundation
import MemoCore
import MemoKit
import MemoTexts
@_spi(Device) import Security
@_spi(Device) import StoreKit
import Synchronization
import Testing
@_spi(Device) import UIKit
import Waiting

@testable import MemoApp

extension OneDevice {
    /// The question for a rating on the screen, with the real box and the shared rule.
    @MainActor
    @Suite("The question for a rating")
    struct RatingTests {
        private let phone: Phone

        init() throws {
            device.withLock { $0 = .init() }
            AppStore.reviewRequests = 0
            phone = try Phone()
        }

        private func say(_ text: AppText) -> String { Language.english.string(text) }

        private func stars(_ number: Int) -> String {
            Language.english.string(AppText.ratingStars, "\(number)")
        }

        private var isAsked: Bool { Device.screenText.contains(say(.ratingQuestion)) }

        /// Sends a memo, of which the relay has heard, and leaves the field alone.
        private func send() async throws {
            let before = phone.relay.memos.count
            Device.type("memo")
            Device.tap(say(.send))
            try await waitUntil { phone.relay.memos.count > before }
            try await waitUntil { try phone.waiting() == 0 }
            phone.wait(milliseconds: RatingModel.quiet)
            await phone.settle()
        }

        /// A device from which so many memos have left.
        private func launch(sent: Int) async throws {
            try phone.signIn()
            let box = try MemoBox(folder: phone.folder, keys: .keychain)
            for _ in 0..<sent { try box.delete(box.send("memo")) }
            await phone.launch()
        }

        @Test("comes with the hundredth memo that has left, and not before")
        func hundredth() async throws {
            try await launch(sent: 98)
            try await send()
            #expect(!isAsked)
            try await send()
            #expect(isAsked)
            phone.kill()
        }

        @Test("waits while the person types, and while another screen is shown")
        func quiet() async throws {
            try await launch(sent: 99)
            Device.type("memo")
            Device.tap(say(.send))
            try await waitUntil { try phone.waiting() == 0 }
            Device.type("more")
            phone.wait(milliseconds: RatingModel.quiet)
            await phone.settle()
            #expect(!isAsked)
            Device.tap(say(.send))
            Device.tap(say(.history))
            phone.wait(milliseconds: RatingModel.quiet)
            await phone.settle()
            #expect(!isAsked)
            phone.kill()
        }

        @Test("five stars ask the system for a review; fewer get thanks, which go by themselves")
        func answers() async throws {
            try await launch(sent: 99)
            try await send()
            Device.tap(stars(4))
            #expect(Device.announcements.last == say(.ratingThanks))
            #expect(Device.screenText.components(separatedBy: "(star.fill)").count == 5)
            phone.wait(milliseconds: RatingModel.thanksTime)
            #expect(!Device.screenText.contains(say(.ratingThanks)))
            #expect(AppStore.reviewRequests == 0)
            phone.kill()
            let phone = try Phone()
            try phone.signIn()
            let box = try MemoBox(folder: phone.folder, keys: .keychain)
            for _ in 0..<99 { try box.delete(box.send("memo")) }
            await phone.launch()
            Device.type("memo")
            Device.tap(say(.send))
            try await waitUntil { try phone.waiting() == 0 }
            phone.wait(milliseconds: RatingModel.quiet)
            await phone.settle()
            Device.tap(stars(5))
            #expect(AppStore.reviewRequests == 1)
            #expect(!isAsked)
            phone.kill()
        }

        @Test("a dismissal is noted for the shared rule, also where the app is killed after it")
        func dismissed() async throws {
            try await launch(sent: 99)
            try await send()
            Device.tap(say(.ratingDismiss))
            await phone.settle()
            #expect(!isAsked)
            let rule = phone.folder.rating
            #expect(rule.sentAtShowing == 100)
            #expect(rule.dismissedAt != nil)
            phone.kill()
        }

        @Test("has stars of at least 44 by 44 side by side, at each text size")
        func targets() async throws {
            for scale in [1, 3.1] {
                let phone = try Phone()
                try phone.signIn()
                let box = try MemoBox(folder: phone.folder, keys: .keychain)
                for _ in 0..<99 { try box.delete(box.send("memo")) }
                Device.textScale = scale
                await phone.launch()
                Device.type("memo")
                Device.tap(say(.send))
                try await waitUntil { try phone.waiting() == 0 }
                phone.wait(milliseconds: RatingModel.quiet)
                await phone.settle()
                let frames = (1...5).map { Device.frame(of: stars($0)) }
                for frame in frames {
                    #expect(frame.size.width >= 44 && frame.size.height >= 44)
                }
                #expect(Device.cutViews == [])
                phone.kill()
            }
        }
    }
}
