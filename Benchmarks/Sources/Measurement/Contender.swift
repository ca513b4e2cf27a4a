/// One of the things that are compared: `run(n)` does it `n` times.
public struct Contender {
    public let name: String
    public let run: (Int) -> Void

    public init(_ name: String, run: @escaping (Int) -> Void) {
        self.name = name
        self.run = run
    }
}

/// Measures each contender in turn, `samples` times over, so that whatever else the machine does
/// falls on all of them alike. The first tenth is dropped.
///
/// - Parameter rounds: How often each contender does its thing in one sample.
/// - Returns: Seconds for doing it once, in the order of `contenders`.
public func alternate(_ contenders: [Contender], samples: Int, rounds: [Int]) -> [Samples] {
    var results = contenders.map { _ in Samples() }
    let warmUp = samples / 10 + 1
    for sample in 0..<samples + warmUp {
        for (index, contender) in contenders.enumerated() {
            let time = seconds { contender.run(rounds[index]) }
            if sample >= warmUp { results[index].append(time / Double(rounds[index])) }
        }
    }
    return results
}

/// Makes the compiler compute a `value` that is not used.
@inline(never)
@_optimize(none)
public func consume<T>(_ value: T) {}
