/// Numbers that are the same in each run.
struct SeededChoices {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next(below bound: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int(state >> 33) % bound
    }

    mutating func isOne(of count: Int) -> Bool { next(below: count) == 0 }
}
