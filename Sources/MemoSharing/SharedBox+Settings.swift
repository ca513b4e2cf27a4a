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

// A setting has two places: this device, where sending finds it, and the records. `SettingMeeting` says what
// becomes of their values; the basis of each setting stands beside the records.
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
    /// One transaction of the records' database reads all values, decides, and stores: of several processes
    /// that do this at once, each one decides about what the one before has left. A crash before its end
    /// may leave the device with values of the records, which are then found equal.
    ///
    /// - Returns: Whether the records were changed.
    func reconcile() throws(MemoError) -> Bool {
        try translating {
            try transact { edits in
                guard edits.lastPulled != nil else { return false }
                var isChanged = false
                for setting in SharedSetting.allCases {
                    isChanged = try reconcile(setting, &edits) || isChanged
                }
                return isChanged
            }
        }
    }

    private func reconcile(
        _ setting: SharedSetting,
        _ edits: inout SyncTransaction<SharedRules>
    ) throws -> Bool {
        let values = try values(of: setting, edits)
        switch values.meeting {
        case .agree:
            if values.basis != values.mine {
                try setBasis(values.mine, of: setting, edits.database)
            }
        case .take: try take(values.shared ?? [], values, edits.database)
        case .tell:
            try tell(values, &edits)
            return true
        case .ask: break
        }
        return false
    }

    /// The values of a setting at one moment.
    private struct Values {
        let setting: SharedSetting
        let local: LocalSettings
        let mine: [UInt8]
        /// `nil` where the records do not have the setting.
        let shared: [UInt8]?
        let basis: [UInt8]?

        init(
            of setting: SharedSetting,
            on local: LocalSettings,
            in fields: [Field],
            basis: [UInt8]?
        ) {
            self.setting = setting
            self.local = local
            mine = local[setting]
            shared = fields[setting.name].map { LocalSettings.normal($0.value, of: setting) }
            self.basis = basis
        }

        var meeting: SettingMeeting {
            SettingMeeting(of: setting, mine: mine, shared: shared, basis: basis)
        }

        var question: SharedView.Question? {
            meeting == .ask ? SharedView.Question(setting, mine, shared ?? []) : nil
        }
    }

    private func values(
        of setting: SharedSetting,
        _ edits: borrowing SyncTransaction<SharedRules>
    ) throws -> Values {
        Values(
            of: setting,
            on: try LocalSettings(in: box),
            in: edits.record(.settings)?.fields ?? [],
            basis: try tables.basis(of: setting, in: edits.database)
        )
    }

    private func take(_ value: [UInt8], _ values: Values, _ database: Connection) throws {
        guard try values.local.adopt(value, for: values.setting, in: box) else { return }
        try setBasis(value, of: values.setting, database)
    }

    private func tell(
        _ values: Values,
        _ edits: inout SyncTransaction<SharedRules>
    ) throws {
        try edits.put(.settings, [values.setting.field(values.mine)])
        try setBasis(values.mine, of: values.setting, edits.database)
    }

    private func setBasis(
        _ value: [UInt8],
        of setting: SharedSetting,
        _ database: Connection
    ) throws {
        try tables.setBasis(try tables.sealed(value, of: setting), of: setting, in: database)
    }

    /// Runs one transaction of the records, which throws the errors of the box as they are.
    private func transact<Result>(
        _ body: (inout SyncTransaction<SharedRules>) throws -> Result
    ) throws -> Result {
        var failure: MemoError?
        do {
            return try records.change { edits in
                do {
                    return try body(&edits)
                } catch let error as MemoError {
                    failure = error
                    throw error
                }
            }
        } catch {
            throw failure ?? error
        }
    }

    // MARK: Questions

    /// The settings that a person has to choose: changed here and on another device.
    public func questions() throws(MemoError) -> [SharedView.Question] {
        try translating {
            var questions: [SharedView.Question] = []
            try records.keepLatest({ records.snapshot }) { snapshot, database in
                questions = try self.questions(of: snapshot, database)
            }
            return questions
        }
    }

    private func questions(
        of snapshot: SyncSnapshot,
        _ database: Connection
    ) throws -> [SharedView.Question] {
        var questions = Self.refusals(in: snapshot).map { SharedView.Question($0) }
        guard snapshot.lastPulled != nil else { return questions }
        let local = try LocalSettings(in: box)
        let fields = snapshot[.settings]?.fields ?? []
        for setting in SharedSetting.allCases {
            let basis = try tables.basis(of: setting, in: database)
            let values = Values(of: setting, on: local, in: fields, basis: basis)
            if let question = values.question { questions.append(question) }
        }
        return questions
    }

    fileprivate struct Refusal {
        let id: ChangeID
        let reason: RefusalReason
        let setting: SharedSetting
        let mine: [UInt8]
        let theirs: [UInt8]
    }

    /// The changes of settings that the relay met another change of, or did not take.
    private static func refusals(in snapshot: SyncSnapshot) -> [Refusal] {
        snapshot.refused.flatMap { entry in
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

    /// The question about a setting that programs show: that of the last view.
    ///
    /// - Throws: ``/MemoKit/MemoError/noQuestion(_:)`` where nothing is to be chosen.
    public func question(about name: String) throws(MemoError) -> SharedView.Question {
        let shown = try box.sharedView()?.questions.first { $0.setting == name }
        guard let shown else { throw .noQuestion(name) }
        return shown
    }

    /// Keeps one version of a setting. ``sync(within:)`` then tells the relay.
    ///
    /// Nothing is chosen where the question is another one by now: the person has not seen one of its
    /// versions, and is asked again.
    ///
    /// - Parameter question: The question that the person was shown.
    /// - Returns: Whether the version is kept.
    /// - Throws: `MemoError` when the box or the records cannot be used.
    @discardableResult
    public func choose(
        _ choice: Choice,
        of question: SharedView.Question
    ) throws(MemoError) -> Bool {
        try translating {
            guard let setting = SharedSetting(name: Array(question.setting.utf8)) else {
                return false
            }
            try records.takeOver()
            let refusal = Self.refusals(in: records.snapshot).first { $0.setting == setting }
            let isKept =
                if let refusal {
                    try choose(choice, of: refusal, shownAs: question)
                } else {
                    try choose(choice, of: setting, shownAs: question)
                }
            _ = try reconcile()
            return isKept
        }
    }

    private func choose(
        _ choice: Choice,
        of refusal: Refusal,
        shownAs question: SharedView.Question
    ) throws -> Bool {
        guard SharedView.Question(refusal) == question else { return false }
        do {
            switch choice {
            case .mine:
                try records.tryAgain(refusal.id)
                return true
            case .theirs: try records.discard(refusal.id)
            }
        } catch .edit(.noSuchEntry) {
            // Another process has been told of a choice.
            return false
        }
        try transact { edits in
            let values = try values(of: refusal.setting, edits)
            // The relay's value has come with its answer, and is still to be read into the records.
            guard values.shared == nil, values.mine == values.basis ?? [] else { return }
            try take(refusal.theirs, values, edits.database)
        }
        return true
    }

    private func choose(
        _ choice: Choice,
        of setting: SharedSetting,
        shownAs question: SharedView.Question
    ) throws -> Bool {
        try transact { edits in
            let values = try values(of: setting, edits)
            guard edits.lastPulled != nil, values.question == question else { return false }
            switch choice {
            case .mine: try tell(values, &edits)
            case .theirs: try take(values.shared ?? [], values, edits.database)
            }
            return true
        }
    }

    // MARK: The view

    /// Stores what programs show that do not open the records: each ``sync(within:)`` does, and a program after
    /// a change that a person is to see at once. Of the views that several processes store, the one of the
    /// newest records stays.
    ///
    /// - Throws: `MemoError` when the box or the records cannot be used.
    public func publish() throws(MemoError) {
        try translating {
            try records.keepLatest({ (view: try view(), snapshot: records.snapshot) }) {
                made,
                database in
                var view = made.view
                view.questions = try questions(of: made.snapshot, database)
                try box.setSharedView(view)
            }
        }
    }

    /// The view without its questions.
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
    fileprivate init(_ refusal: SharedBox.Refusal) {
        self.init(
            refusal.setting,
            refusal.mine,
            refusal.theirs,
            isRefused: refusal.reason != .conflict
        )
    }

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
