@_spi(Device) import BackgroundTasks
import Foundation
import MemoCore
import MemoCourier
import MemoKit
import MemoTexts
import Outbox
import OutboxCore
import Store
import Synchronization
@_spi(Device) import UIKit
@_spi(Device) import UserNotifications
import Waiting
import WatchedFiles

@testable import MemoApp
@testable import MemoDoors

/// A telephone with the app on it: its disk, its clock, and what the app gave away for delivery.
@MainActor
final class Phone {
    private struct Timer {
        let due: Int64
        let body: @MainActor () -> Void
    }

    let disk: WatchedFolder
    let folder: DataFolder
    let relay: Relay
    private(set) var box: BoxQueue
    /// What the screen showed when the app had a memo delivered.
    private(set) var deliveries: [String?] = []
    /// What the app has copied last.
    private(set) var copied: String?
    /// Whether the system says that there is a network.
    let isConnected = Store(true)
    private let now = Mutex<Int64>(0)
    private var timers: [Timer] = []
    /// Where the app looks for its folder; `nil` for a folder that is there.
    var appFolder: AppFolder?
    /// What the process that runs stands on.
    private var running: AppParts?

    /// - Parameters:
    ///   - contents: The files that are there, by name.
    ///   - relay: The relay that the app reaches, or the way to a real one.
    init(_ contents: [String: [UInt8]] = [:], relay: Relay = Relay()) throws {
        self.relay = relay
        disk = try WatchedFolder(contents)
        let folder = DataFolder(path: disk.file("")).path
        self.folder = DataFolder(path: folder)
        box = BoxQueue { () throws(MemoError) in
            try MemoBox(folder: DataFolder(path: folder), keys: .keychain)
        }
        Device.reset()
        Device.forgetRequests()
        Device.forgetNotifications()
        Device.group = folder
    }

    // MARK: The app

    /// Launches the app, until the draft is on the screen.
    func launch(in language: Language = .english) async {
        launchAtOnce(in: language)
        await settle()
    }

    /// Signs the person in to a relay that answers so, and launches the app.
    func launch(signedInTo answer: Relay.Answer) async throws {
        try signIn()
        relay.answer(answer)
        await launch()
    }

    /// Launches the app, until the first frame.
    func launchAtOnce(in language: Language = .english) {
        let parts = parts(language)
        running = parts
        Device.start(AppDelegate(parts))
        Device.launch(SceneDelegate(parts))
    }

    /// Opens a new window, until the draft is on the screen.
    ///
    /// - Returns: The number of the window.
    @discardableResult
    func openWindow() async -> Int {
        let number = Device.open(SceneDelegate(running!))
        await settle()
        return number
    }

    /// Shows a window that was open before, until the draft is on the screen.
    func returnToWindow(_ number: Int) async {
        Device.connect(SceneDelegate(running!), number)
        await settle()
    }

    /// Launches the app by one of the windows that were open, until the draft is on the screen.
    func launch(byWindow number: Int) async {
        let parts = parts(.english)
        running = parts
        Device.start(AppDelegate(parts))
        await returnToWindow(number)
    }

    /// Launches the app for an intent, without a window.
    func launch(for event: DoorEvents.Event) {
        let parts = parts(.english)
        running = parts
        Device.start(AppDelegate(parts))
        parts.doors.post(event)
    }

    /// Opens a window of a process that was launched without one, until the draft is on the screen.
    func openFirstWindow() async {
        Device.launch(SceneDelegate(running!))
        await settle()
    }

    /// Launches the app without a window, for what a person did with a notification.
    func launchForNotification() {
        let parts = parts(.english)
        running = parts
        Device.start(AppDelegate(parts))
    }

    /// Has the app, in front, look for memos that did not arrive, and waits until it has looked.
    func lookForFailures() async { await running!.notices.look { true } }

    /// What the doors of the process that runs ask of it.
    var doors: DoorEvents { running!.doors }

    /// Stores a memo by a door, and waits until its process may be suspended.
    @discardableResult
    func passDoor(_ text: String) async throws -> SendAnswer.Prospect {
        let prospect = try await door.store(text)
        try await waitUntil { Device.runningTasks == 0 }
        return prospect
    }

    /// A door in any process.
    var door: MemoDoor {
        let (path, appFolder) = (folder.path, appFolder)
        return MemoDoor { () throws(MemoError) in
            let folder = try appFolder?.open() ?? DataFolder(path: path)
            return try MemoBox(folder: folder, keys: .keychain)
        }
    }

    /// Launches the app for a task that it has asked for.
    func launch(for identifier: String) -> GrantedTask {
        Device.start(AppDelegate(parts(.english)))
        return Device.grant(identifier)
    }

    /// What the app stands on. A call begins another process of the app.
    func parts(_ language: Language) -> AppParts {
        let (path, appFolder) = (folder.path, appFolder)
        let changes = Store<UInt64>(0)
        let box = BoxQueue { () throws(MemoError) in
            let folder = try appFolder?.open() ?? DataFolder(path: path)
            return try MemoBox(folder: folder, keys: .keychain) { _ in
                changes.commit { $0 += 1 }
            }
        }
        let clock = AppClock(
            microseconds: { [self] in now.withLock { $0 } },
            wallTime: { [self] in
                let passed = now.withLock { $0 } / 1000
                return OutboxClock.system.wallTime().advanced(by: Milliseconds(passed))
            },
            after: { [self] milliseconds, body in
                timers.append(Timer(due: now.withLock { $0 } + milliseconds * 1000, body: body))
            }
        )
        let choices = AppChoices(folder: folder) { [language.tag.description] }
        let (windows, doors) = (AppWindows(), DoorEvents())
        let notices = FailureNotices(
            box: box,
            language: choices.language,
            door: door,
            doors: doors,
            windows: windows
        )
        let courier = Deliveries(
            box: box,
            client: relay.client,
            clock: clock,
            changes: changes,
            notices: notices
        )
        self.box = box
        return AppParts(
            box: box,
            changes: changes,
            choices: choices,
            clock: clock,
            client: relay.client,
            relay: Result { () throws(RelayLocationError) in
                try RelayLocation("https://relay.example.org")
            },
            isConnected: isConnected,
            followNetwork: { _ in },
            deliveries: courier,
            notices: notices,
            doors: doors,
            windows: windows,
            memoStored: { [self] _ in
                deliveries.append(Device.typed)
                courier.called()
            },
            copy: { [self] in copied = $0 }
        )
    }

    /// Ends the process.
    func kill() {
        Device.kill()
        Device.forgetHandlers()
        (running, timers) = (nil, [])
        // Of what a dead process still asks for, nothing is done; its locks end with it.
        disk.apply { _, _ in .refuse }
        box.sleep(within: .seconds(10))
        disk.apply(nil)
    }

    /// Signs the person in.
    func signIn(at url: String = "https://relay.example.org", token: String = "token") throws {
        try MemoBox(folder: folder, keys: .keychain).setAccount(
            Account(relay: url, address: "a@b.example", token: token)
        )
    }

    /// How many memos wait in the outbox, as another process sees it.
    func waiting() throws -> Int {
        try MemoBox(folder: folder, keys: .keychain).outboxState().total
    }

    /// Waits until all that is under way in the background has been given back.
    func rest() async {
        try? await waitUntil { Device.backgroundTasks == 0 }
    }

    /// Waits until the box has done all that it was asked to do, and the app knows.
    func settle() async {
        for _ in 0..<3 {
            await withCheckedContinuation { continuation in
                box.later { _ in
                } then: { _ in
                    continuation.resume()
                }
            }
        }
        Device.showFrame()
    }

    /// Waits until the app knows what it was told before.
    func turn() async {
        await withCheckedContinuation { continuation in
            DispatchQueue.main.async { continuation.resume() }
        }
    }

    /// Lets time pass.
    func wait(milliseconds: Int64) {
        now.withLock { $0 += milliseconds * 1000 }
        let time = now.withLock { $0 }
        let due = timers.filter { $0.due <= time }
        timers.removeAll { $0.due <= time }
        for timer in due { timer.body() }
        Device.showFrame()
    }

    /// How many pieces of work begin after exactly this time.
    func pendingTimers(after milliseconds: Int64) -> Int {
        let due = now.withLock { $0 } + milliseconds * 1000
        return timers.count { $0.due == due }
    }

    /// Types, and waits until the draft is saved.
    func write(_ text: String) async {
        Device.type(text)
        wait(milliseconds: 200)
        await settle()
    }

    // MARK: The disk

    /// The texts of the history, the latest first, as another process sees them.
    func memos() throws -> [String?] {
        try MemoBox(folder: folder, keys: .keychain).history().map(\.text)
    }

    /// The files that SQLite does not open.
    func otherFiles() throws -> [String: [UInt8]] {
        let files = FileManager.default
        var contents: [String: [UInt8]] = [:]
        for name in try files.contentsOfDirectory(atPath: folder.path)
        where !name.hasPrefix("memo.sqlite") {
            contents[name] = Array(files.contents(atPath: disk.file(name)) ?? Data())
        }
        return contents
    }

    /// From now on the disk is full.
    func fillDisk() {
        disk.apply { request, _ in request == .write ? .fail(13) : .pass }
    }

    func emptyDisk() {
        disk.apply(nil)
    }
}
