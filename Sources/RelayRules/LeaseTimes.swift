package import OutboxCore

/// The times of the leases under which relays hand mails over.
package struct LeaseTimes: Hashable, Sendable {
    /// The length of a lease from each renewal, on the database's clock.
    package let length: Milliseconds
    /// The time between two looks at what other relays hold.
    package let pause: Milliseconds

    /// The time between two renewals, as long as the looks come.
    package var renewal: Milliseconds { Milliseconds(length.count / 4) }
    /// The part of the length that a relay leaves unused, for what its clock and the server's differ in.
    package var margin: Milliseconds { Milliseconds(length.count / 5) }

    /// - Parameters:
    ///   - length: See ``length``.
    ///   - pause: See ``pause``. `nil`: a second, or less for a short lease.
    package init(length: Milliseconds = .seconds(15), pause: Milliseconds? = nil) {
        self.length = length
        self.pause = pause ?? min(.seconds(1), Milliseconds(length.count / 8))
    }
}
