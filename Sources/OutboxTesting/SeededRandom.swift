/// A reproducible source of randomness for tests: one seed, one sequence (SplitMix64).
public struct SeededRandom: RandomNumberGenerator, Sendable {
    /// The seed. A failing test prints it, and a run with the same seed repeats the failure.
    public let seed: UInt64
    private var state: UInt64

    /// Makes a source of the sequence that belongs to `seed`.
    public init(seed: UInt64) {
        self.seed = seed
        state = seed
    }

    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
        return word ^ word >> 31
    }
}
