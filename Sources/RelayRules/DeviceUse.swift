package import OutboxCore

/// The use of a device's token, for the list in which a person looks for a token in strange hands.
///
/// A use is noted at most once an hour: a device costs no more writes, and the relay's database
/// tells no more of a person's day.
public struct DeviceUse: Hashable, Sendable {
    /// The time for which a noted use stands for later ones.
    static let exactness: Milliseconds = .seconds(3600)

    package let device: DeviceID
    package let time: WallTime

    package init(of device: DeviceID, at time: WallTime) {
        self.device = device
        self.time = time
    }

    /// The use to be noted when a device is identified; `nil` for none. A noted use that lies ahead,
    /// because the clock was, does not stand for this one.
    ///
    /// - Parameters:
    ///   - device: The device.
    ///   - noted: The use that was noted last; `nil` for none.
    ///   - now: The time of this use.
    package init?(of device: DeviceID, notedAt noted: WallTime?, at now: WallTime) {
        if let noted {
            let around = -Self.exactness.count + 1..<Self.exactness.count
            if around.contains(now.since(noted).count) { return nil }
        }
        self.init(of: device, at: now)
    }
}
