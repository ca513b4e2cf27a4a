import MemoCore
package import OutboxCore

/// The chance of guessing a code that the relay gives away, for all mailboxes of a ``CodeShare``
/// together.
///
/// A try of a code of n digits is right by chance in one of 10^n cases, whatever the mailbox and
/// the network. A code of a share is mailed only while the chances of three kinds of tries of the share's
/// codes together are within its half of ``VerificationRules/guessBudget``: those that failed within the
/// window, those that the living codes still take, and those that the new code takes. So the chances of
/// all tries within any window are within the budget: each of them was one of the three when the window's
/// latest code of its share was mailed.
///
/// The failures of strangers, and of young accounts, so lengthen no code of an established network.
///
/// The more of the budget is used, the longer are the codes. A right code, and a code that expires,
/// leave behind only their failed tries.
package struct GuessBudget: Hashable, Sendable {
    /// The window in which failed tries count: one day.
    package static let window: Milliseconds = .seconds(86_400)
    /// Failed tries are counted together for so long.
    package static let step: Milliseconds = .seconds(600)

    /// The chances of the failed tries, and of those that living codes still take.
    package private(set) var used: Int64

    package init(used: Int64 = 0) {
        self.used = used
    }

    /// The chance of a try, in units of a try of the longest code.
    package static func chance(digits: Int) -> Int64 {
        (digits..<max(digits, RelayLimits.longestCode)).reduce(1) { chance, _ in chance * 10 }
    }

    /// Adds codes that can still be tried so often.
    package mutating func add(tries: Int, digits: Int) {
        used += Int64(max(tries, 0)) * Self.chance(digits: digits)
    }

    /// The number of digits of the next code; `nil` while there is no room for any.
    func digits(_ rules: VerificationRules) -> Int? {
        let half = rules.guessBudget / 2
        for (digits, part) in [(6, half / 2), (8, half / 4 * 3), (RelayLimits.longestCode, half)] {
            var after = self
            after.add(tries: rules.tries, digits: digits)
            if after.used <= part { return digits }
        }
        return nil
    }

    /// The time under which failed tries of a moment are counted.
    package static func step(of time: WallTime) -> WallTime {
        let count = time.millisecondsSinceEpoch
        return WallTime(
            millisecondsSinceEpoch: count - (count % step.count + step.count) % step.count
        )
    }

    /// The steps that count at a moment: all that have a part within the window. Those that lie
    /// further in the future were stored while the clock was wrong.
    package static func counted(at now: WallTime) -> RateWindow {
        RateWindow(Milliseconds(window.count + step.count), at: now)
    }
}
