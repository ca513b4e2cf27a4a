import OutboxCore

/// The times of the leases under which relays hand mails over.
struct LeaseTimes: Sendable {
    /// The length of a lease from each renewal, on the database's clock.
    let length: Milliseconds
    /// The time between two looks at what other relays hold.
    let pause: Milliseconds

    /// The time between two renewals, as long as the looks come.
    var renewal: Milliseconds { Milliseconds(length.count / 4) }
    /// The part of the length that a relay leaves unused, for what its clock and the server's differ in.
    var margin: Milliseconds { Milliseconds(length.count / 5) }

    /// - Parameters:
    ///   - length: See ``length``.
    ///   - pause: See ``pause``. `nil`: a second, or less for a short lease.
    init(length: Milliseconds = .seconds(15), pause: Milliseconds? = nil) {
        self.length = length
        self.pause = pause ?? min(.seconds(1), Milliseconds(length.count / 8))
    }
}
