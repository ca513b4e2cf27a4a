import MemoCore
import MemoKit
import MemoTexts
@_spi(Device) import Security
import Store
import Synchronization
import Testing
@_spi(Device) import UIKit
import WatchedFiles

@testable import MemoApp

extension OneDevice {
    /// The compose screen of the app, over the stand-in of UIKit, with the real box on a real disk.
    @MainActor
    @Suite("The compose screen")
    struct ComposeTests {
        private let phone: Phone

        init() throws {
            device.withLock { $0 = .init() }
            phone = try Phone()
        }

        private var send: String { say(.send) }

        private func say(_ text: AppText) -> String { Language.english.string(text) }

        @Test("takes typing before the first layout is over and before the box is open")
        func launch() async throws {
            phone.launchAtOnce()
            let ready = try #require(
                Device.journal.firstIndex(of: "MemoTextView is first responder")
            )
            let laidOut = try #require(Device.journal.firstIndex(of: "layout ends"))
            let shown = try #require(Device.journal.firstIndex(of: "frame"))
            #expect(ready < laidOut && laidOut < shown)
            Device.type("first")
            #expect(Device.typed == "first")
            await phone.settle()
            #expect(Device.typed == "first")
        }

        @Test("stores, then empties the field, then delivers, and the keyboard stays")
        func order() async throws {
            await phone.launch()
            Device.type("Buy milk")
            Device.tap(send)
            #expect(phone.deliveries == [""])
            #expect(Device.typed == "")
            #expect(try phone.memos() == ["Buy milk"])
            #expect(Device.journal.contains("haptic: success"))
            await phone.settle()
            #expect(Device.announcements.last == say(.savedSignedOut))
            phone.wait(milliseconds: ComposeModel.answerTime)
            #expect(!Device.screenText.contains(say(.savedSignedOut)))
        }

        @Test("shows the text leaving for a quarter of a second, and takes typing meanwhile")
        func leaving() async throws {
            await phone.launch()
            Device.type("one")
            Device.tap(send)
            #expect(Device.journal.contains("animates 0.25 s"))
            #expect(Device.screenText.contains("“one”"))
            Device.type("two")
            #expect(Device.typed == "two")
            Device.endAnimations()
            #expect(!Device.screenText.contains("“one”"))
            #expect(Device.typed == "two")
        }

        @Test("moves nothing where the person has motion reduced")
        func reducedMotion() async throws {
            Device.reducesMotion = true
            await phone.launch()
            Device.type("one")
            Device.tap(send)
            #expect(!Device.journal.contains { $0.hasPrefix("animates") })
            #expect(try phone.memos() == ["one"])
        }

        @Test("sends by Cmd-Enter; Enter alone begins a line")
        func keys() async throws {
            await phone.launch()
            Device.type("a")
            Device.press(.keyboardReturnOrEnter)
            Device.type("b")
            Device.press(.keypadEnter, .command)
            #expect(try phone.memos() == ["a\nb"])
        }

        @Test("sends nothing where nothing is visible")
        func nothing() async throws {
            await phone.launch()
            Device.tap(send)
            Device.type(" \n")
            Device.tap(send)
            Device.press(.keyboardReturnOrEnter, .command)
            #expect(phone.deliveries.isEmpty)
            #expect(try phone.memos().isEmpty)
        }

        @Test("on a full disk keeps the text and says why, and sends it once there is room")
        func fullDisk() async throws {
            await phone.launch()
            phone.fillDisk()
            Device.type("kept")
            Device.tap(send)
            #expect(Device.typed == "kept")
            #expect(phone.deliveries.isEmpty)
            #expect(Device.announcements == [say(.storageFull)])
            #expect(Device.screenText.contains(say(.storageFull)))
            phone.emptyDisk()
            Device.tap(send)
            #expect(Device.typed == "")
            #expect(try phone.memos() == ["kept"])
        }

        @Test("before the first unlock keeps the text, makes no key, and sends it afterwards")
        func locked() async throws {
            await phone.launch()
            await phone.write("draft")
            phone.kill()
            device.withLock { $0.isUnlockedOnce = false }
            await phone.launch()
            Device.type("kept")
            Device.tap(send)
            #expect(Device.typed == "kept")
            #expect(device.withLock { $0.count } == 1)
            device.withLock { $0.isUnlockedOnce = true }
            Device.tap(send)
            #expect(try phone.memos() == ["kept"])
        }

        @Test("pressed twice sends once; what is typed between is a memo of its own")
        func twice() async throws {
            await phone.launch()
            Device.type("one")
            Device.tap(send)
            Device.tap(send)
            Device.type("two")
            Device.press(.keyboardReturnOrEnter, .command)
            Device.press(.keyboardReturnOrEnter, .command)
            #expect(try phone.memos() == ["two", "one"])
        }

        @Test("pressed while a draft is saved sends once, and no draft comes back")
        func duringSave() async throws {
            for isWritten in [false, true] {
                let phone = try Phone()
                await phone.launch()
                Device.type("once")
                // The save is asked for; nobody has heard that it is done.
                phone.wait(milliseconds: 200)
                if isWritten { try phone.box.now { _ in } }
                Device.tap(send)
                await phone.settle()
                phone.kill()
                await phone.launch()
                #expect(Device.typed == "")
                #expect(try phone.memos() == ["once"])
            }
        }

        @Test("leaves with the draft saved, covers the text, and returns with the keyboard")
        func leave() async throws {
            await phone.launch()
            Device.type("draft")
            Device.leave()
            #expect(Device.screenText.contains("“\(say(.hidden))”"))
            await phone.rest()
            Device.comeBack()
            #expect(!Device.screenText.contains("“\(say(.hidden))”"))
            #expect(Device.typed == "draft")
            phone.kill()
            await phone.launch()
            #expect(Device.typed == "draft")
        }

        @Test("leaves with time to save the draft, and gives the time back")
        func time() async throws {
            await phone.launch()
            Device.type("draft")
            Device.leave()
            #expect(Device.backgroundTasks > 0)
            await phone.rest()
            Device.suspend()
            phone.kill()
            await phone.launch()
            #expect(Device.typed == "draft")
        }

        @Test("gives the time back when it is over, although the disk is slow")
        func slowDisk() async throws {
            await phone.launch()
            Device.type("draft")
            Device.leave()
            // Nobody has heard that the draft is saved.
            Device.suspend()
            #expect(Device.backgroundTasks == 0)
            await phone.turn()
            phone.kill()
            await phone.launch()
            #expect(Device.typed == "draft")
        }

        @Test("gives the time back where the draft cannot be saved, and says so once")
        func fullDiskAtLeave() async throws {
            await phone.launch()
            phone.fillDisk()
            Device.type("draft")
            Device.leave()
            await phone.rest()
            #expect(Device.announcements.count == 1)
            Device.comeBack()
            phone.emptyDisk()
            Device.leave()
            await phone.rest()
            phone.kill()
            await phone.launch()
            #expect(Device.typed == "draft")
        }

        @Test("puts a draft that comes late behind the typed text, and keeps both")
        func lateDraft() async throws {
            await phone.launch()
            await phone.write("old")
            phone.kill()
            phone.launchAtOnce()
            Device.type("new")
            await phone.settle()
            #expect(Device.typed == "new\n\nold")
            phone.wait(milliseconds: 200)
            await phone.settle()
            phone.kill()
            await phone.launch()
            #expect(Device.typed == "new\n\nold")
        }

        @Test("killed at each change of the disk that a send makes: a draft, or a memo, never both")
        func killed() async throws {
            await phone.launch()
            await phone.write("once")
            let pictures = Mutex<[[String: [UInt8]]]>([])
            phone.disk.observe { disk in pictures.withLock { $0.append(disk.latest) } }
            Device.tap(send)
            phone.disk.observe(nil)
            pictures.withLock { $0.append(phone.disk.disk.latest) }
            let others = try phone.otherFiles()
            phone.kill()
            var outcomes: Set<Bool> = []
            for picture in pictures.withLock({ $0 }) {
                let files = picture.filter { $0.key.hasPrefix("memo.sqlite") }
                let phone = try Phone(files.merging(others) { file, _ in file })
                await phone.launch()
                let isSent = try phone.memos() == ["once"]
                outcomes.insert(isSent)
                #expect(try isSent || phone.memos().isEmpty)
                #expect(Device.typed == (isSent ? "" : "once"))
                Device.type("!")
                Device.tap(send)
                #expect(try phone.memos() == (isSent ? ["!", "once"] : ["once!"]))
                phone.kill()
            }
            #expect(outcomes == [false, true])
        }

        @Test("says once that a memo has waited for more than an hour, until the next key")
        func waiting() async throws {
            await phone.launch()
            Device.type("one")
            Device.tap(send)
            await phone.settle()
            for (minutes, isSaid) in [(59, false), (2, true), (60, false)] {
                Device.leave()
                await phone.rest()
                phone.wait(milliseconds: Int64(minutes) * 60_000)
                Device.comeBack()
                await phone.settle()
                #expect(Device.screenText.contains(say(.waitingLong)) == isSaid)
                Device.type("x")
                #expect(!Device.screenText.contains(say(.waitingLong)))
            }
            phone.kill()
        }

        @Test(
            "a word beside the doors while there is no network; the field keeps its place, its text and its keys",
            arguments: [1, 3.1]
        )
        func offline(scale: Double) async throws {
            Device.textScale = CGFloat(scale)
            await phone.launch()
            Device.type("draft")
            func line(_ part: String) -> Substring? {
                Device.screenText.split(separator: "\n").first { $0.contains(part) }
            }
            let word = "“\(Language.english.string(AppText.offline))”"
            let field = line("MemoTextView")
            #expect(line(word)?.contains("hidden") == true)
            phone.isConnected.commit { $0 = false }
            Device.showFrame()
            #expect(line(word)?.contains("hidden") == false)
            #expect(line("MemoTextView") == field)
            #expect(Device.cutViews == [])
            Device.type(" more")
            #expect(Device.typed == "draft more")
            // Nobody is told aloud, and a send is as always.
            #expect(!Device.announcements.contains(Language.english.string(AppText.offline)))
            Device.tap(Language.english.string(.send))
            await phone.settle()
            #expect(try phone.memos() == ["draft more"])
            phone.isConnected.commit { $0 = true }
            Device.showFrame()
            #expect(line(word)?.contains("hidden") == true)
            phone.kill()
        }

        @Test("measures how long it takes until the field takes typing")
        func timings() async throws {
            await phone.launch()
            Device.type("one")
            Device.tap(send)
            await phone.settle()
            Device.type("two")
            Device.tap(send)
            let box = try MemoBox(folder: phone.folder, keys: .keychain)
            #expect(try box.timings(.timeToText).count == 1)
            #expect(try box.timings(.sendToReset).count == 1)
        }
    }
}
