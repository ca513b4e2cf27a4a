package import RelayRules

/// Finds what the holders of dead letters have to lose so that all letters fit. Writes nothing.
package struct FindCrowding: RelayTransaction {
    /// The greatest number of holders that lose at once.
    private static let limit = 128

    private let room: DeadLetterRoom

    package init(in room: DeadLetterRoom) {
        self.room = room
    }

    package func find(
        in tables: some RelayReads
    ) throws -> (total: DeadLetterRoom.Total, heaviest: [DeadLetterRoom.Holding]) {
        (
            try tables.totalOfDeadLetters(),
            try tables.heaviestHolders(limit: Self.limit)
        )
    }

    package func decide(
        _ found: (total: DeadLetterRoom.Total, heaviest: [DeadLetterRoom.Holding])
    ) -> RelayDecision<[DeadLetterRoom.Loss]> {
        RelayDecision(room.losses(of: found.heaviest, total: found.total))
    }
}

/// Discards some of a holder's dead letters for their room.
package struct MakeRoom: RelayTransaction {
    package struct Found {
        /// The size of all dead letters of the holder, in bytes.
        let held: Int
        let first: [DeadLetterRoom.Letter]
    }

    package struct Outcome: Hashable, Sendable {
        /// The number of letters that are discarded.
        package let discarded: Int
        /// The loss that is left; `nil` for none.
        package let rest: DeadLetterRoom.Loss?
    }

    private let loss: DeadLetterRoom.Loss

    package init(_ loss: DeadLetterRoom.Loss) {
        self.loss = loss
    }

    package func find(in tables: some RelayReads) throws -> Found {
        Found(
            held: try tables.heldBytes(of: loss.mailbox),
            first: try tables.heldLetters(of: loss.mailbox, limit: LetterBatch.letters)
        )
    }

    package func decide(_ found: Found) -> RelayDecision<Outcome> {
        let wanted = loss.chosen(among: found.first, held: found.held)
        let chosen = wanted.prefix(LetterBatch.count(of: wanted.map(\.bytes)))
        var rest = loss
        let isCut = chosen.count < wanted.count || wanted.count == LetterBatch.letters
        rest.bytes -= chosen.reduce(0) { $0 + $1.bytes }
        return RelayDecision(
            Outcome(
                discarded: chosen.count,
                rest: isCut && rest.bytes > 0 ? rest : nil
            ),
            writes: chosen.map { .discard($0.entry) }
        )
    }
}
