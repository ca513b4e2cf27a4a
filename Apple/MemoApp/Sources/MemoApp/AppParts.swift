import Foundation
import MemoCourier
import MemoKit
import MemoTexts
import Outbox
import OutboxCore

/// What the app stands on. A test provides its own.
@MainActor
struct AppParts {
    var box: BoxQueue
    var language: Language
    var clock: AppClock
    var client: RelayClient
    /// The relay at which a person signs in.
    var relay: Result<RelayLocation, RelayLocationError>
    var deliveries: Deliveries
    /// Delivers what is stored.
    var memoStored: @MainActor (OperationID) -> Void

    /// The parts of the process.
    static let system: AppParts = {
        let folder = DataFolder.ofApp
        let log = SystemLog(subsystem: "simple-memo")
        let box = BoxQueue { () throws(MemoError) in
            try MemoBox(folder: folder, keys: .keychain) { log.write($0) }
        }
        let clock = AppClock.system
        let client = RelayClient()
        let deliveries = Deliveries(box: box, client: client, clock: clock)
        let relay = Bundle.main.object(forInfoDictionaryKey: "MemoRelay") as? String ?? ""
        return AppParts(
            box: box,
            language: folder.chosenLanguage
                ?? Language(preferring: Locale.preferredLanguages.map { Array($0.utf8) }),
            clock: clock,
            client: client,
            relay: Result { () throws(RelayLocationError) in try RelayLocation(relay) },
            deliveries: deliveries,
            memoStored: { _ in deliveries.called() }
        )
    }()
}

extension DataFolder {
    /// The folder of the app's own data.
    fileprivate static var ofApp: DataFolder {
        let places = FileManager.default.urls(
            for: .applicationSupportDirectory,
            in: .userDomainMask
        )
        return DataFolder(path: places[0].path + "/Simple Memo")
    }
}
