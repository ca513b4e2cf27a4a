import Dispatch
import Foundation
import MemoCore
import MemoTexts
import Outbox
@_spi(Device) import Security
import Store
import Synchronization
@_spi(Device) import UIKit

@testable import MemoApp
@testable import MemoCourier
@testable import MemoDoors
@testable import MemoKit

/// One process of the app or of an extension of it, on a folder that several share. It reads commands, a line
/// each, and writes what it has done.
///
/// | command | the process | it writes |
/// |---|---|---|
/// | `store N` | stores the memo `memo N`: by a door, or by the field and the button | `stored N`, or `refused N` |
/// | `type` | shows the field, as a control asks | `typed`, and what is in the field |
/// | `suspend` | is suspended as the system does it: its time is over, it ends what has begun, it stops | `suspended` |
/// | `wake` | is in front again | `awake` |
///
/// The app hands memos to a relay, which is the process that reads: `held ID N`, before the answer.
enum DoorProcess {
    /// The first argument of such a process.
    static let argument = "door-process"

    /// The memo of a number.
    static func text(_ number: Int) -> String { "memo \(number)" }

    static func run(as role: String, in folder: String) async -> Never {
        Device.group = folder
        if role == "app" { await App(folder).run() }
        await Extension(folder).run()
    }

    /// The box of the folder. Its key is in a file: each process of this test has a keychain of its own.
    static func openBox(in folder: String) throws(MemoError) -> MemoBox {
        let keys = BoxKeys(keyring: KeychainKeyring(), newKey: .file)
        return try MemoBox(folder: DataFolder(path: folder), keys: keys) { _ in }
    }

    /// Writes a line, all of it at once.
    static func say(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        guard write(1, bytes, bytes.count) == bytes.count else { exit(1) }
    }

    /// The lines of the standard input. The process ends with them.
    static let commands = AsyncStream<[Substring]> { stream in
        Thread.detachNewThread {
            while let line = readLine() { stream.yield(line.split(separator: " ")) }
            exit(0)
        }
    }

    /// Stops this process, as the system does: it holds no lock of the folder by now.
    static func stop() {
        say("suspended")
        kill(getpid(), SIGSTOP)
    }

    /// A process of an extension: each memo is a call of a door.
    private struct Extension {
        let door: MemoDoor

        init(_ folder: String) {
            door = MemoDoor(
                askForDelivery: {},
                open: { () throws(MemoError) in try DoorProcess.openBox(in: folder) }
            )
        }

        func run() async -> Never {
            say("begun")
            var stores: [Task<Void, Never>] = []
            for await command in DoorProcess.commands {
                switch command[0] {
                case "store":
                    let number = Int(command[1])!
                    // Beside the next command: the time may end while a memo is stored.
                    stores.append(Task.detached { await store(number) })
                case "suspend":
                    await Self.expire()
                    for store in stores { await store.value }
                    stores = []
                    DoorProcess.stop()
                default: say("awake")
                }
            }
            exit(0)
        }

        private func store(_ number: Int) async {
            do {
                _ = try await door.store(DoorProcess.text(number))
                say("stored \(number)")
            } catch {
                say("refused \(number)")
            }
        }

        private static func expire() async {
            await MainActor.run { Device.suspend() }
        }
    }

    /// The process of the app, with its screen and its courier.
    @MainActor
    private final class App {
        private let parts: AppParts

        init(_ folder: String) {
            let changes = Store<UInt64>(0)
            let box = BoxQueue { () throws(MemoError) in try DoorProcess.openBox(in: folder) }
            let client = RelayClient { request in App.answer(request) }
            let clock = AppClock.system
            let choices = AppChoices(folder: DataFolder(path: folder)) { ["en"] }
            let (windows, doors) = (AppWindows(), DoorEvents())
            let notices = FailureNotices(
                box: box,
                language: choices.language,
                door: MemoDoor { () throws(MemoError) in try DoorProcess.openBox(in: folder) },
                doors: doors,
                windows: windows
            )
            let deliveries = Deliveries(
                box: box,
                client: client,
                clock: clock,
                changes: changes,
                notices: notices
            )
            parts = AppParts(
                box: box,
                changes: changes,
                choices: choices,
                clock: clock,
                client: client,
                relay: Result { () throws(RelayLocationError) in
                    try RelayLocation("https://relay.example.org")
                },
                isConnected: Store(true),
                followNetwork: { _ in },
                deliveries: deliveries,
                notices: notices,
                doors: doors,
                windows: windows,
                memoStored: { _ in deliveries.called() },
                copy: { _ in }
            )
        }

        /// Takes a memo: the process that reads has it before the answer.
        private nonisolated static func answer(
            _ request: PreparedRequest
        ) -> Result<RelayAnswer, RelayFailure> {
            let json = Array("application/json".utf8)
            guard request.method == "PUT" else {
                let none = Array(#"{"changes":[],"cursor":"0","more":false}"#.utf8)
                return .success(RelayAnswer(status: 200, contentType: json, body: none))
            }
            let id = request.url.split(separator: "/").last!
            let text = String(decoding: request.body, as: UTF8.self)
            let number = text.split(separator: "memo ").last!.prefix { $0.isNumber }
            DoorProcess.say("held \(id) \(number)")
            let body = Array(#"{"id":"\#(id)","status":"accepted"}"#.utf8)
            return .success(RelayAnswer(status: 202, contentType: json, body: body))
        }

        func run() async -> Never {
            Device.start(AppDelegate(parts))
            Device.launch(SceneDelegate(parts))
            await settle()
            say("begun")
            for await command in DoorProcess.commands {
                switch command[0] {
                case "store": await store(Int(command[1])!)
                case "type":
                    parts.doors.post(.typingAsked)
                    Device.showFrame()
                    say("typed \(Device.typed ?? "")")
                case "suspend":
                    Device.leave()
                    Device.suspend()
                    DoorProcess.stop()
                default:
                    Device.comeBack()
                    await settle()
                    say("awake")
                }
            }
            exit(0)
        }

        /// Until the draft is on the screen.
        private func settle() async {
            for _ in 0..<3 {
                await withCheckedContinuation { continuation in
                    parts.box.later { _ in
                    } then: { _ in
                        continuation.resume()
                    }
                }
            }
            Device.showFrame()
        }

        private func store(_ number: Int) async {
            // The draft of a process that was killed is this memo: the test sends it again here.
            if Device.typed != DoorProcess.text(number) { Device.type(DoorProcess.text(number)) }
            Device.tap(Language.english.string(.send))
            say(Device.typed == "" ? "stored \(number)" : "refused \(number) \(Device.typed ?? "")")
            await settle()
        }
    }
}
