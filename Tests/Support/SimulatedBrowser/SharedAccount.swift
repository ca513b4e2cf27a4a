package import OutboxCore
package import RelayAPI
import RelayRules

/// What a relay's account has for all devices of a person: memos, devices and settings in one list of
/// changes. The rules for changes of the settings are the relay's own.
package struct SharedAccount {
    /// The name of the device that asks.
    package static let device = "device-1"

    /// The number of the latest change.
    package private(set) var version: Int64 = 0
    package private(set) var settings: SharedSettings?
    private var rows: [String: ChangedRow] = [:]
    private var ledgers: [String: ChangeLedger] = [:]
    /// The cursors of earlier epochs are forgotten.
    private var epoch = 0
    /// The number of changes that were applied, by their identity.
    package private(set) var applied: [String: Int] = [:]

    package init() {}

    /// The values of the settings.
    package var values: [String: String] { settings?.fields.mapValues(\.value) ?? [:] }

    /// The devices that are signed in.
    package var devices: [ChangedRow] {
        rows.values.filter { $0.kind == .device && $0.name != nil }.sorted {
            $0.version < $1.version
        }
    }

    // MARK: Changing

    /// Gives a memo a status, unless it has it.
    package mutating func set(_ id: String, _ status: String, of device: String = Self.device) {
        guard rows[id]?.status?.rawValue != status else { return }
        version += 1
        var row = ChangedRow(.memo, version: version, id: id)
        row.status = DeliveryStatus(rawValue: status)
        if status == "bounced" { row.reason = "smtp.550" }
        row.device = device
        row.acceptedAt = 1_800_000_000_000
        rows[id] = row
    }

    package mutating func add(device id: String, named name: String) {
        version += 1
        var row = ChangedRow(.device, version: version, id: id)
        row.name = name
        row.createdAt = 1_790_000_000_000
        rows[id] = row
    }

    /// - Returns: The number of the change; `nil` where there is no such device.
    package mutating func revoke(device id: String) -> Int64? {
        guard let old = rows[id], old.kind == .device else { return nil }
        guard old.name != nil else { return old.version }
        version += 1
        var row = ChangedRow(.device, version: version, id: id)
        row.revokedAt = 1_800_000_000_000
        rows[id] = row
        return version
    }

    /// Forgets all cursors, and the rows of some memos.
    package mutating func forget(_ ids: [String] = []) {
        epoch += 1
        for id in ids { rows[id] = nil }
    }

    /// Another device's change of the settings.
    package mutating func write(_ values: [String: String]) {
        version += 1
        var fields = settings?.fields ?? [:]
        for (name, value) in values {
            let node = String(repeating: "e", count: 32)
            fields[name] = SharedField(
                value: value,
                time: 1_800_000_000_000,
                number: version,
                node: node
            )
        }
        settings = SharedSettings(version: version, fields: fields)
    }

    // MARK: Answering

    /// - Returns: `nil` for a forgotten cursor.
    package func page(after cursor: String?) -> AccountChanges? {
        var position: Int64 = 0
        if let cursor {
            let parts = cursor.split(separator: "-")
            guard parts.count == 2, Int(parts[0]) == epoch, let found = Int64(parts[1]),
                found <= version
            else { return nil }
            position = found
        }
        var all = Array(rows.values)
        if let settings {
            var row = ChangedRow(.settings, version: settings.version)
            row.fields = settings.fields
            all.append(row)
        }
        let later = all.filter { $0.version > position }.sorted { $0.version < $1.version }
        let shown = Array(later.prefix(100))
        let end = shown.count < later.count ? shown.last?.version ?? position : version
        return AccountChanges(
            rows: shown,
            cursor: "\(epoch)-\(end)",
            more: shown.count < later.count,
            device: Self.device
        )
    }

    private func name(_ identity: ChangeIdentity) -> ChangeName {
        ChangeName(
            node: Array(identity.node.utf8),
            number: identity.number,
            attempt: identity.attempt,
            digest: Array(identity.digest.utf8)
        )
    }

    private func answer(_ earlier: ChangeLedger.Earlier) -> SettingsAnswer {
        switch earlier {
        case .other: SettingsAnswer(.newNode)
        case .heard(let heard):
            switch heard.answer {
            case .accepted(let version):
                SettingsAnswer(.accepted, version: version, time: heard.time)
            case .conflict: SettingsAnswer(.conflict, time: heard.time, settings: settings)
            case .refused(let reason):
                SettingsAnswer(.refused, reason: reason, settings: settings)
            }
        }
    }

    package func answer(to identity: ChangeIdentity) -> SettingsAnswer? {
        ledgers[identity.node]?.answer(to: name(identity)).map(answer)
    }

    /// Applies a change of the settings, at most once.
    ///
    /// - Parameter madeOn: The version of its condition; 0 for none.
    package mutating func change(
        _ request: SettingsRequest,
        madeOn: Int64,
        now: WallTime
    ) -> SettingsAnswer {
        let node = request.change.node
        let name = name(request.change)
        var ledger = ledgers[node] ?? ChangeLedger()
        defer { ledgers[node] = ledger }
        if let earlier = ledger.earlier(name) { return answer(earlier) }
        ledger.settle(through: request.settledThrough)
        let time = ledger.time(
            of: name,
            stamped: WallTime(millisecondsSinceEpoch: request.time),
            at: now
        )
        guard (settings?.version ?? 0) == madeOn else {
            ledger.hear(name, at: time, .conflict)
            return SettingsAnswer(
                .conflict,
                time: time.millisecondsSinceEpoch,
                settings: settings
            )
        }
        guard request.fields.values.allSatisfy({ $0.utf8.count < 8000 }) else {
            ledger.hear(name, at: time, .refused(reason: "too-long"))
            return SettingsAnswer(.refused, reason: "too-long", settings: settings)
        }
        version += 1
        ledger.hear(name, at: time, .accepted(version: version))
        applied["\(node).\(request.change.number)", default: 0] += 1
        var fields = settings?.fields ?? [:]
        for (name, value) in request.fields {
            fields[name] = SharedField(
                value: value,
                time: time.millisecondsSinceEpoch,
                number: request.change.number,
                node: node
            )
        }
        settings = SharedSettings(version: version, fields: fields)
        return SettingsAnswer(.accepted, version: version, time: time.millisecondsSinceEpoch)
    }
}
