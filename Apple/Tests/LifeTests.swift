@_spi(Device) import BackgroundTasks
import Foundation
import MemoKit
import MemoTexts
@_spi(Device) import Network
@_spi(Device) import Security
import Synchronization
import Testing
@_spi(Device) import UIKit
import Waiting
import WatchedFiles

@testable import MemoApp
@testable import MemoDoors

extension OneDevice {
    /// A long life of the app, with the real box, courier and drain: it is killed in front, at a change of
    /// the disk that a send makes, in the background, and in a task.
    @MainActor
    @Suite("A long life of the app")
    struct LifeTests {
        private let phone: Phone
        private let send = Language.english.string(.send)

        init() throws {
            device.withLock { $0 = .init() }
            phone = try Phone(relay: Relay(isReal: RealRelay.there != nil))
        }

        @Test(
            "300 memos and 100 kills: each memo is handed over, and none under two identifiers",
            .enabled(if: RealRelay.there == nil)
        )
        func life() async throws {
            try phone.signIn()
            let unsent = try await live(300)
            // Kills before and after the commit.
            #expect(1..<50 ~= unsent)
            let texts = try MemoBox(folder: phone.folder, keys: .keychain).history(limit: 1000)
            #expect(Set(phone.relay.memos.keys) == Set(texts.map { "\($0.id)" }))
            phone.kill()
        }

        /// scripts/lib/apple_life.py starts the relay, and counts what is in its inbox.
        @Test("the same life into a real relay", .enabled(if: RealRelay.there != nil))
        func realLife() async throws {
            let relay = try #require(RealRelay.there)
            try phone.signIn(at: relay.url, token: relay.token)
            _ = try await live(relay.memos)
            phone.kill()
        }

        /// Sends memos, and kills the app at every third one; then waits until all have left.
        ///
        /// - Returns: How many sends were cut off before their commit.
        private func live(_ memos: Int) async throws -> Int {
            var random = SeededChoices(seed: 34)
            await phone.launch()
            var (kills, unsent) = (0, 0)
            for number in 0..<memos {
                let text = "memo \(number)"
                phone.relay.answer(random.isOne(of: 3) ? .unreachable : .accepts)
                // Until the draft is saved: a send that has not returned may be lost with its text.
                await phone.write(text)
                switch number % 6 {
                case 0: await killDuringSend(after: random.next(below: 30))
                case 3: await killInBackground(asTask: random.isOne(of: 2))
                default: Device.tap(send)
                }
                if number % 3 == 0 { kills += 1 }
                // What is in the field was not sent.
                if Device.typed != "" {
                    unsent += 1
                    Device.tap(send)
                }
                #expect(Device.typed == "")
            }
            #expect(kills == memos / 3)
            phone.relay.answer(.accepts)
            Device.leave()
            Device.suspend()
            Device.comeBack()
            // The waits of the memos that met no network end when it returns.
            try await waitUntil { Paths.now.listening > 0 }
            Paths.change(to: NWPath(.unsatisfied))
            Paths.change(to: NWPath(.satisfied, [NWInterface("en0", .wifi)]))
            try await waitUntil { try phone.waiting() == 0 }
            let texts = try MemoBox(folder: phone.folder, keys: .keychain).history(limit: 1000)
            #expect(Set(texts.map(\.text)) == Set((0..<memos).map { "memo \($0)" }))
            #expect(texts.count == memos)
            return unsent
        }

        /// The process dies at one of the changes of the disk, or after the send.
        private func killDuringSend(after changes: Int) async {
            let left = Mutex(changes)
            phone.disk.apply { request, _ in
                guard request.changesDisk else { return left.withLock { $0 } > 0 ? .pass : .refuse }
                return left.withLock { left in
                    left -= 1
                    return left > 0 ? .pass : .refuse
                }
            }
            Device.tap(send)
            phone.kill()
            await phone.launch()
        }

        private func killInBackground(asTask: Bool) async {
            Device.tap(send)
            Device.leave()
            Device.suspend()
            phone.kill()
            if asTask, Device.requests.contains(DeliveryRequests.refresh) {
                _ = phone.launch(for: DeliveryRequests.refresh)
                await phone.turn()
                phone.kill()
            }
            await phone.launch()
        }
    }
}

/// A relay that was started for this run, and a token for it.
private struct RealRelay {
    let url: String
    let token: String
    let memos: Int

    static let there: RealRelay? = {
        let environment = ProcessInfo.processInfo.environment
        guard let url = environment["MEMO_LIFE_RELAY"], let token = environment["MEMO_LIFE_TOKEN"],
            let memos = environment["MEMO_LIFE_MEMOS"].flatMap({ Int($0) })
        else { return nil }
        return RealRelay(url: url, token: token, memos: memos)
    }()
}
