import MemoCore
import MemoKit
import OutboxCore

/// What the list of devices knows: from the records that all devices share, and from the relay's own answer.
struct DevicesState: Hashable, Sendable {
    /// One device.
    struct Device: Hashable, Sendable {
        /// The relay's name of the device.
        let id: [UInt8]
        let name: String
        let createdAt: WallTime
        /// When the device has sent last; `nil` while the relay has not said so.
        let usedAt: WallTime?
        let isCurrent: Bool
        /// Whether a person may sign the device out here: not this one, nor any while nobody knows which one it is.
        var isRevocable = false
    }

    /// The devices of the records, without those that were signed out here.
    var shared: [SharedView.Device] = []
    /// The relay's answer; none where it was not reached.
    var listed: [ListedDevice] = []

    /// Whether the records have been read: then they decide which devices there are.
    var isShared: Bool { !shared.isEmpty }

    /// The devices to show, the newest first.
    var devices: [Device] {
        var devices = isShared ? ofRecords : listed.map { Device($0) }
        let isKnown = devices.contains(where: \.isCurrent)
        for index in devices.indices where isKnown && !devices[index].isCurrent {
            devices[index].isRevocable = true
        }
        return devices
    }

    private var ofRecords: [Device] {
        shared.map { device in
            let told = listed.first { $0.id == device.id }
            return Device(
                id: device.id,
                name: device.name,
                createdAt: device.createdAt,
                usedAt: told?.usedAt,
                isCurrent: told?.isCurrent ?? device.isCurrent
            )
        }
    }
}

extension DevicesState.Device {
    fileprivate init(_ device: ListedDevice) {
        id = device.id
        name = String(decoding: device.name, as: UTF8.self)
        createdAt = device.createdAt
        usedAt = device.usedAt
        isCurrent = device.isCurrent
    }
}
