import MemoCore
public import MemoKit
import MemoSyncCore
import OfflineFirst
import Outbox
import OutboxCore
import OutboxSQLite
import SQLite
import SyncCore
import WireCore

/// The two places of a setting, on this device and in the records, and the value at which they were last
/// equal: the basis.
///
/// | this device | records | then |
/// |---|---|---|
/// | equal | equal | the basis is this value |
/// | as the basis | another | the device takes the records' value |
/// | another | as the basis | the records take the device's value: a change, which is sent |
/// | another | another | a person chooses, where a person wrote them; else the device's value is the later one |
///
/// Without a basis the account is new to this device: the device takes the records' value of a setting that
/// nobody has written by hand.
extension SharedBox {
    /// The version that a person keeps.
    public enum Choice: Hashable, Sendable {
        /// The value of this device.
        case mine
        /// The value of the other device.
        case theirs
    }

    /// Brings this device and the records together, as far as no person has to choose. Does nothing before
    /// the first complete reading: nobody knows yet what the account has.
    ///
    /// Each setting ends in one transaction of the records' database; a crash before it repeats what it did.
    ///
    /// - Returns: Whether the records were changed.
    func reconcile() throws(MemoError) -> Bool {
        try translating {
            guard records.snapshot.lastPulled != nil else { return false }
            var isChanged = false
            for setting in SharedSetting.allCases {
                isChanged = try reconcile(setting) || isChanged
            }
            return isChanged
        }
    }

    private func reconcile(_ setting: SharedSetting) throws -> Bool {
        let local = try LocalSettings(in: box)
        let mine = local[setting]
        let shown = shown(setting)
        let basis = try basis()[setting]
        if mine == shown {
            if basis != mine { try setBasis(mine, of: setting) }
            return false
        }
        let former = basis ?? []
        if mine == former || basis == nil && !shown.isEmpty && !setting.isWrittenByHand {
            if try local.adopt(shown, for: setting, in: box) { try setBasis(shown, of: setting) }
            return false
        }
        if shown != former, setting.isWrittenByHand { return false }
        try write(mine, of: setting)
        return true
    }

    /// The value in the records, with the changes of this device.
    private func shown(_ setting: SharedSetting) -> [UInt8] {
        LocalSettings.normal(
            setting.value(in: records.snapshot[.settings]?.fields ?? []),
            of: setting
        )
    }

    func basis() throws -> [SharedSetting: [UInt8]] {
        try records.outbox.storage.read { try tables.basis(in: $0) }
    }

    private func setBasis(_ value: [UInt8], of setting: SharedSetting) throws {
        let sealed = try tables.sealed(value, of: setting)
        try records.outbox.storage.write { try tables.setBasis(sealed, of: setting, in: $0) }
    }

    /// Writes a value into the records, and makes it the basis.
    private func write(_ value: [UInt8], of setting: SharedSetting) throws {
        let sealed = try tables.sealed(value, of: setting)
        let tables = tables
        try records.change { edits in
            try edits.put(.settings, [setting.field(value)])
            try tables.setBasis(sealed, of: setting, in: edits.database)
        }
    }

    // MARK: Questions

    /// The settings that a person has to choose: changed here and on another device.
    public func questions() throws(MemoError) -> [SharedView.Question] {
        try translating {
            var questions = refusals().map { refusal in
                SharedView.Question(
                    refusal.setting,
                    refusal.mine,
                    refusal.theirs,
                    isRefused: refusal.reason != .conflict
                )
            }
            let local = try LocalSettings(in: box)
            let basis = try basis()
            guard records.snapshot.lastPulled != nil else { return questions }
            for setting in SharedSetting.allCases where setting.isWrittenByHand {
                let (mine, theirs, former) = (local[setting], shown(setting), basis[setting] ?? [])
                guard mine != theirs, mine != former, theirs != former else { continue }
                questions.append(SharedView.Question(setting, mine, theirs))
            }
            return questions
        }
    }

    private struct Refusal {
        let id: ChangeID
        let reason: RefusalReason
        let setting: SharedSetting
        let mine: [UInt8]
        let theirs: [UInt8]
    }

    /// The changes of settings that the relay met another change of, or did not take.
    private func refusals() -> [Refusal] {
        records.snapshot.refused.flatMap { entry in
            guard entry.key == .settings else { return [Refusal]() }
            return entry.change.fields.compactMap { field in
                SharedSetting(name: field.name).map {
                    Refusal(
                        id: entry.change.id,
                        reason: entry.reason,
                        setting: $0,
                        mine: field.value,
                        theirs: $0.value(in: entry.server?.fields ?? [])
                    )
                }
            }
        }
    }

    /// Keeps one version of a setting. ``sync(within:)`` then tells the relay.
    ///
    /// - Throws: ``/MemoKit/MemoError/noQuestion(_:)`` where nothing is to be chosen.
    public func choose(_ choice: Choice, of name: String) throws(MemoError) {
        try translating {
            guard let setting = SharedSetting(name: Array(name.utf8)),
                try questions().contains(where: { $0.setting == name })
            else { throw MemoError.noQuestion(name) }
            if let refusal = refusals().first(where: { $0.setting == setting }) {
                switch choice {
                case .mine: try records.tryAgain(refusal.id)
                case .theirs: try records.discard(refusal.id)
                }
            } else if choice == .mine {
                // The device's value is now a change of what the person has seen.
                try setBasis(shown(setting), of: setting)
            } else {
                let local = try LocalSettings(in: box)
                guard try local.adopt(shown(setting), for: setting, in: box) else { return }
                try setBasis(shown(setting), of: setting)
            }
            _ = try reconcile()
        }
    }

    // MARK: The view

    /// Stores what programs show that do not open the records: each ``sync(within:)`` does, and a program after
    /// a change that a person is to see at once. Of the views that several processes store, the one of the
    /// newest records stays.
    ///
    /// - Throws: `MemoError` when the box or the records cannot be used.
    public func publish() throws(MemoError) {
        try translating { try records.keepLatest(view, keep: box.setSharedView) }
    }

    private func view() throws(MemoError) -> SharedView {
        let former = try box.sharedView()
        var view = SharedView(relay: owner.relay, address: owner.address)
        // The relay says which one this device is, and not to each object.
        let current = thisDevice ?? former?.devices.first(where: \.isCurrent)?.id
        view.devices = devices.prefix(SharedView.mostDevices).map { device in
            SharedView.Device(
                id: device.id,
                name: String(decoding: device.name, as: UTF8.self),
                createdAt: device.createdAt,
                isCurrent: device.id == current
            )
        }
        view.pending = try pendingChanges()
        view.lastSynced = lastSynced
        view.questions = try questions()
        view.memos = try memosElsewhere()
        return view
    }

    /// The latest memos that were not written here.
    private func memosElsewhere() throws(MemoError) -> [SharedView.Memo] {
        let snapshot = records.snapshot
        var names: [[UInt8]: String] = [:]
        for device in devices { names[device.id] = String(decoding: device.name, as: UTF8.self) }
        let latest = snapshot.records(of: SharedKind.memo.bytes)
            .compactMap { SharedMemo($0.key, $0.fields) }
            .sorted { ($1.acceptedAt, $1.id) < ($0.acceptedAt, $0.id) }
        var memos: [SharedView.Memo] = []
        for memo in latest {
            guard memos.count < SharedView.mostMemos else { break }
            guard try !box.hasInHistory(memo.id) else { continue }
            memos.append(
                SharedView.Memo(
                    id: memo.id,
                    status: memo.status,
                    device: names[memo.device],
                    acceptedAt: memo.acceptedAt
                )
            )
        }
        return memos
    }
}

extension SharedView.Question {
    fileprivate init(
        _ setting: SharedSetting,
        _ mine: [UInt8],
        _ theirs: [UInt8],
        isRefused: Bool = false
    ) {
        self.init(
            setting: String(decoding: setting.name, as: UTF8.self),
            mine: String(decoding: mine, as: UTF8.self),
            theirs: String(decoding: theirs, as: UTF8.self),
            isRefused: isRefused
        )
    }
}
