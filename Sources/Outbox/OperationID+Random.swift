package import OutboxCore

extension OperationID {
    /// A new identifier, of which no other is made: its time is `time`, the rest is random.
    package static func random(at time: WallTime) -> OperationID {
        var random = SystemRandomNumberGenerator()
        return OperationID(time: time, random: (random.next(), random.next()))
    }
}
