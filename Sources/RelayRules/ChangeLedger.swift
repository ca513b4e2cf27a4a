import MemoCore
package import OutboxCore
import SyncCore

/// The relay's memory of the changes of one node: its answers, and the times that it gave.
///
/// Invariants:
/// 1. A number is answered with one content. A change that is heard again is answered as before, and the
///    number of another content is not answered at all.
/// 2. An answer is kept until its device has called the number settled, or ``mostAnswers`` later ones
///    are kept. Numbers through ``floor`` are forgotten: none of them is applied any more.
/// 3. The times of a node's changes have the order of their numbers, and none is ahead of the relay's by
///    more than `SyncClock.tolerance`.
///
/// The answer to a conflict or a refusal is kept without the settings that came with it. A repetition
/// gets the present settings, whose version is not that of the change either: versions never repeat.
///
/// | failure | outcome |
/// |---|---|
/// | an answer is lost | the repetition, or the question, gets it |
/// | a request comes late, after its change was settled | not applied: its number is below the floor |
/// | a device was copied, or restored from a backup | its numbers belong to other contents: a new node |
/// | the node was forgotten for newer ones | a repetition of an applied change is a conflict, because the version has moved on |
package struct ChangeLedger: Hashable, Sendable, Codable {
    /// The most answers that are kept for a node.
    package static let mostAnswers = 16
    /// The most nodes of an account whose ledgers are kept: as many as an account has devices.
    package static let mostNodes = VerificationRules().devices

    /// A change that was answered.
    package struct Heard: Hashable, Sendable, Codable {
        package let number: Int64
        package let attempt: Int64
        /// A keyed hash of the checksum that the device sent.
        package let digest: [UInt8]
        /// The time that the change was given.
        package let time: Int64
        package let answer: Answer
    }

    /// The answer, without what can be read again.
    package enum Answer: Hashable, Sendable, Codable {
        case accepted(version: Int64)
        case conflict
        case refused(reason: String)
    }

    /// What was heard of a change before.
    package enum Earlier: Hashable, Sendable {
        case heard(Heard)
        /// The number belongs to another content, or is forgotten.
        case other
    }

    /// The greatest number that is forgotten.
    package private(set) var floor: Int64 = 0
    /// The latest time that a forgotten change was given.
    private var floorTime: Int64?
    /// By their numbers, the smallest first.
    package private(set) var heard: [Heard] = []

    package init() {}

    /// What was heard of a change that comes now.
    ///
    /// - Returns: `nil` for a change that is to be decided.
    package func earlier(_ change: ChangeName) -> Earlier? {
        guard change.number > floor else { return .other }
        guard let heard = heard.first(where: { $0.number == change.number }) else { return nil }
        if heard.attempt == change.attempt { return same(heard, change) }
        // An older attempt came late, and its device does not listen; or a copy is behind.
        guard heard.attempt < change.attempt else { return .other }
        if case .accepted = heard.answer { return .other }
        return nil
    }

    /// What was heard of a change that its device asks for.
    ///
    /// - Returns: `nil` for a change that never came.
    package func answer(to question: ChangeName) -> Earlier? {
        guard question.number > floor else { return .other }
        guard let heard = heard.first(where: { $0.number == question.number }),
            heard.attempt >= question.attempt
        else { return nil }
        return heard.attempt > question.attempt ? .other : same(heard, question)
    }

    private func same(_ heard: Heard, _ change: ChangeName) -> Earlier {
        heard.digest == change.digest ? .heard(heard) : .other
    }

    /// Forgets the answers that the device has.
    package mutating func settle(through number: Int64) {
        guard number > floor else { return }
        floor = number
        let settled = heard.filter { $0.number <= number }
        floorTime = (settled.map(\.time) + [floorTime].compactMap { $0 }).max()
        heard.removeAll { $0.number <= number }
    }

    /// The time that a change is given which is heard now.
    ///
    /// - Parameters:
    ///   - change: The change.
    ///   - time: The time of its stamp, by the device's clock.
    ///   - now: The relay's wall clock.
    package func time(of change: ChangeName, stamped time: WallTime, at now: WallTime) -> WallTime {
        if let heard = heard.first(where: { $0.number == change.number }) {
            return WallTime(millisecondsSinceEpoch: heard.time)
        }
        var given = min(time, now.advanced(by: SyncClock.tolerance)).millisecondsSinceEpoch
        for other in heard where other.number > change.number { given = min(given, other.time) }
        if let floorTime { given = max(given, floorTime) }
        for other in heard where other.number < change.number { given = max(given, other.time) }
        return WallTime(millisecondsSinceEpoch: given)
    }

    /// Keeps the answer to a change.
    package mutating func hear(_ change: ChangeName, at time: WallTime, _ answer: Answer) {
        heard.removeAll { $0.number == change.number }
        heard.append(
            Heard(
                number: change.number,
                attempt: change.attempt,
                digest: change.digest,
                time: time.millisecondsSinceEpoch,
                answer: answer
            )
        )
        heard.sort { $0.number < $1.number }
        if heard.count > Self.mostAnswers { settle(through: heard[0].number) }
    }
}

/// The identity of a change, as the relay keeps it.
public struct ChangeName: Hashable, Sendable {
    /// The greatest number in a message: many readers of JSON keep 53 bits.
    package static let greatestNumber = RelayLimits.greatestNumber

    /// The node: 16 bytes.
    package let node: [UInt8]
    package let number: Int64
    package let attempt: Int64
    /// A keyed hash of the checksum that the device sent.
    package let digest: [UInt8]

    package init(node: [UInt8], number: Int64, attempt: Int64, digest: [UInt8]) {
        self.node = node
        self.number = number
        self.attempt = attempt
        self.digest = digest
    }
}
