public import MemoTexts
public import OutboxCore
import WireCore

/// A time that the product measures of itself.
public enum TimingKind: Int64, Hashable, Sendable, CaseIterable {
    /// From the start to a text field that takes typing.
    case timeToText = 1
    /// From sending to an empty field that takes typing.
    case sendToReset = 2

    /// The longest time that a measurement should show.
    public var budget: Milliseconds {
        switch self {
        case .timeToText: Milliseconds(500)
        case .sendToReset: Milliseconds(150)
        }
    }
}

/// Measurements of one kind, summed up for a person.
public struct TimingSummary: Hashable, Sendable {
    /// The median, in microseconds; of an even number, the upper one of the two in the middle.
    public let median: Int64
    /// The latest measurement, in microseconds.
    public let latest: Int64
    /// The number of measurements, at least 1.
    public let count: Int

    /// - Parameter microseconds: The measurements, the latest first.
    /// - Returns: `nil` when there is none.
    /// - Complexity: O(n²) for n measurements, of which a device keeps twenty. The library's sort
    ///   would take up more of the web app than anything else here.
    public init?(_ microseconds: [Int64]) {
        guard let latest = microseconds.first else { return nil }
        self.latest = latest
        count = microseconds.count
        var median = latest
        for candidate in microseconds {
            var below = 0
            var equal = 0
            for other in microseconds {
                if other < candidate { below += 1 }
                if other == candidate { equal += 1 }
            }
            if below <= count / 2, count / 2 < below + equal { median = candidate }
        }
        self.median = median
    }

    /// Milliseconds with one decimal, rounded down, as the language writes them: `12.3` or `12,3`.
    public static func milliseconds(_ microseconds: Int64, in language: Language) -> [UInt8] {
        decimal(microseconds / 1000) + [language.decimalMark] + decimal(microseconds % 1000 / 100)
    }
}

extension Language {
    /// The mark between units and tenths, for numbers in Western digits; in ASCII.
    fileprivate var decimalMark: UInt8 {
        switch self {
        case .spanish, .french, .german, .italian, .portuguese: 0x2C
        case .japanese, .english, .korean, .simplifiedChinese, .arabic: 0x2E
        }
    }
}
