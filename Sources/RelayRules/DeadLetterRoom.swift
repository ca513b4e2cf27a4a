package import OutboxCore

/// The rule by which the relay discards dead letters for the room that they take. Pure.
///
/// - All dead letters together may take the ``allowance``. As long as they fit, none is discarded for
///   its room.
/// - The mailboxes that hold dead letters, each with all its accounts, have equal shares of the
///   allowance. A mailbox that holds its share, or less, loses none.
/// - The mailbox that holds most loses first; of mailboxes that hold the same, the youngest one, by its
///   oldest account. A mailbox loses until all letters fit, or until it holds its share; first those
///   letters that were queued first.
/// - Letters of no memo, such as mails of codes, are one holder, which counts as the youngest.
public struct DeadLetterRoom: Hashable, Sendable {
    /// The greatest size of all dead letters together, in bytes.
    package let allowance: Int

    package init(allowance: Int) {
        self.allowance = allowance
    }

    /// A quarter of a disk.
    ///
    /// - Parameter total: The size of the disk, in bytes.
    package init(ofDisk total: Int64) {
        allowance = Int(total / 4)
    }

    /// All dead letters together.
    package struct Total: Hashable, Sendable {
        package let bytes: Int
        /// The number of mailboxes that hold some, and one more where some are of no memo.
        package let holders: Int

        package init(bytes: Int, holders: Int) {
            self.bytes = bytes
            self.holders = holders
        }
    }

    /// The dead letters of one holder.
    package struct Holding: Hashable, Sendable {
        /// `nil` for letters of no memo.
        package let mailbox: MailboxID?
        package let bytes: Int

        package init(mailbox: MailboxID?, bytes: Int) {
            self.mailbox = mailbox
            self.bytes = bytes
        }
    }

    /// What a holder is to lose.
    package struct Loss: Hashable, Sendable {
        /// `nil` for letters of no memo.
        package let mailbox: MailboxID?
        /// The number of bytes that the holder keeps whatever happens.
        package let share: Int
        /// The number of bytes to make free, by letters as a whole.
        package var bytes: Int

        package init(mailbox: MailboxID?, share: Int, bytes: Int) {
            self.mailbox = mailbox
            self.share = share
            self.bytes = bytes
        }
    }

    /// A dead letter of a holder.
    package struct Letter: Hashable, Sendable {
        package let entry: EntryID
        package let bytes: Int

        package init(entry: EntryID, bytes: Int) {
            self.entry = entry
            self.bytes = bytes
        }
    }

    /// The losses that let all letters fit, as far as the given holders can bring them about.
    ///
    /// - Parameter heaviest: The holders that hold most, in the order in which they lose.
    package func losses(of heaviest: [Holding], total: Total) -> [Loss] {
        guard total.holders > 0 else { return [] }
        let share = allowance / total.holders
        var excess = total.bytes - allowance
        var losses: [Loss] = []
        for holding in heaviest where excess > 0 && holding.bytes > share {
            let bytes = min(excess, holding.bytes - share)
            losses.append(Loss(mailbox: holding.mailbox, share: share, bytes: bytes))
            excess -= bytes
        }
        return losses
    }
}

extension DeadLetterRoom.Loss {
    /// The letters that are discarded.
    ///
    /// - Parameters:
    ///   - letters: The holder's first letters.
    ///   - held: The bytes that the holder holds now.
    package func chosen(
        among letters: [DeadLetterRoom.Letter],
        held: Int
    ) -> [DeadLetterRoom.Letter] {
        var freed = 0
        var chosen: [DeadLetterRoom.Letter] = []
        for letter in letters where freed < bytes && held - freed > share {
            chosen.append(letter)
            freed += letter.bytes
        }
        return chosen
    }
}
