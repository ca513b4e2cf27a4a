import Outbox
import OutboxCore

extension QueueIndex {
    /// The data in a file that decide when its operation is attempted.
    struct Standing: Hashable, Sendable {
        var state: OperationState
        var due = WallTime.distantPast
        var waitCause = WaitCause.nothing
        var waitEpoch: UInt32 = 0
        var lane: Lane?
        /// The reason for which the entry counts as quarantined, for as long as the store is open,
        /// although its file does not say so: the file could not be read, or not be written.
        var heldFor: QuarantineReason?

        /// The standing of a damaged file.
        static let quarantined = Standing(state: .quarantined)

        static func held(for reason: QuarantineReason) -> Standing {
            Standing(state: .quarantined, heldFor: reason)
        }

        /// The standing of an entry that could not be read, although others can be. The entry keeps
        /// its place in its lane, so that nothing overtakes an operation that may be readable
        /// again.
        static func unreadable(_ known: Standing?) -> Standing {
            var held = Standing.held(for: .record)
            held.lane = known?.lane.map {
                Lane(key: $0.key, number: $0.number, isBlockedByIt: known?.placedLane != nil)
            }
            return held
        }

        var isOfUnknownLane: Bool { heldFor != nil && lane == nil }

        /// The lane in which the operation has a place now.
        var placedLane: OrderingKey? {
            state == .queued || lane?.isBlockedByIt == true ? lane?.key : nil
        }
    }

    /// The data in a file about the lane of its operation.
    final class Lane: Hashable, Sendable {
        let key: OrderingKey
        let number: UInt64
        /// Whether the operation has a place in the lane although it is not queued.
        let isBlockedByIt: Bool

        init(key: OrderingKey, number: UInt64, isBlockedByIt: Bool) {
            self.key = key
            self.number = number
            self.isBlockedByIt = isBlockedByIt
        }

        static func == (left: Lane, right: Lane) -> Bool {
            left === right
                || left.number == right.number && left.isBlockedByIt == right.isBlockedByIt
                    && left.key == right.key
        }

        func hash(into hasher: inout Hasher) {
            hasher.combine(number)
            hasher.combine(key)
        }
    }
}

extension QueueIndex.Standing {
    init(
        of id: OperationID?,
        state: OperationState,
        envelope: [UInt8],
        waitEpoch: UInt32,
        laneNumber: UInt64
    ) {
        // An envelope that does not decode is eligible at once: the attempt finds the damage.
        guard let envelope = try? Envelope(decoding: envelope) else {
            self.init(state: state)
            return
        }
        let key = envelope.id == id ? envelope.orderingKey : nil
        self.init(
            state: state,
            due: envelope.nextEligibleAt,
            waitCause: envelope.waitCause,
            waitEpoch: waitEpoch,
            lane: key.map {
                QueueIndex.Lane(
                    key: $0,
                    number: laneNumber,
                    isBlockedByIt: envelope.blocksLane
                )
            }
        )
    }

    func applying(_ epochs: WaitEpochs) -> Self {
        guard state == .queued, epochs.isOver(waitCause, epoch: waitEpoch) else { return self }
        return Self(state: .queued, lane: lane)
    }
}
