import Connectivity
import ConnectivityCore
import Foundation
import MemoCourier
import MemoDoors
import MemoKit
import MemoTexts
import Outbox
import OutboxCore
import Store
import UIKit

/// What the app stands on. A test provides its own.
@MainActor
struct AppParts {
    var box: BoxQueue
    /// Counts the changes of what the box holds, by whichever part of the app.
    var changes: Store<UInt64>
    var choices: AppChoices
    var clock: AppClock
    var client: RelayClient
    /// The relay at which a person signs in.
    var relay: Result<RelayLocation, RelayLocationError>
    /// Whether the system says that there is a network.
    var isConnected: Store<Bool>
    /// Tells that store of each change, for as long as the process lives.
    var followNetwork: @MainActor (Store<Bool>) async -> Void
    var deliveries: Deliveries
    /// Tells of memos that did not arrive.
    var notices: FailureNotices
    /// What doors ask of the app.
    var doors: DoorEvents
    /// The windows of the process.
    var windows: AppWindows
    /// Delivers what is stored.
    var memoStored: @MainActor (OperationID) -> Void
    /// Puts a text where other apps can take it.
    var copy: @MainActor (String) -> Void

    /// The language that the app speaks.
    var language: Store<Language> { choices.language }

    /// The parts of the process.
    static let system: AppParts = {
        let folder = AppFolder.ofProcess
        let log = SystemLog(subsystem: "simple-memo")
        let changes = Store<UInt64>(0)
        let box = BoxQueue { () throws(MemoError) in
            try folder.openBox { event in
                log.write(event)
                changes.commit { $0 += 1 }
            }
        }
        let clock = AppClock.system
        let client = RelayClient()
        let choices = AppChoices(folder: folder.ofChoices) { Locale.preferredLanguages }
        let windows = AppWindows()
        let doors = DoorEvents.ofProcess
        let notices = FailureNotices(
            box: box,
            language: choices.language,
            door: .ofProcess,
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
        let relay = Bundle.main.object(forInfoDictionaryKey: "MemoRelay") as? String ?? ""
        return AppParts(
            box: box,
            changes: changes,
            choices: choices,
            clock: clock,
            client: client,
            relay: Result { () throws(RelayLocationError) in try RelayLocation(relay) },
            isConnected: Store(true),
            followNetwork: { isConnected in
                for await state in NetworkMonitor() {
                    isConnected.commit { $0 = state.isConnected }
                }
            },
            deliveries: deliveries,
            notices: notices,
            doors: doors,
            windows: windows,
            memoStored: { _ in deliveries.called() },
            copy: { UIPasteboard.general.string = $0 }
        )
    }()
}
