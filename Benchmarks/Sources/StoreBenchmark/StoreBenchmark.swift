import Measurement

/// Compares `Store` with the libraries that it replaces.
///
/// - `StoreBenchmark SAMPLES`: all figures.
/// - `StoreBenchmark count GROUP INDEX ROUNDS`: one contender, `ROUNDS` times, for a tool that
///   counts instructions.
/// - `StoreBenchmark list`: groups, indexes, rounds and names for such a tool.
@main struct StoreBenchmark {
    static func main() {
        let arguments = CommandLine.arguments.dropFirst()
        switch (arguments.first, arguments.count) {
        case ("list", 1):
            for group in groups {
                for (index, contender) in group.contenders().enumerated() {
                    print(group.name, index, group.rounds[index], contender.name)
                }
            }
        case ("count", 4):
            let words = Array(arguments)
            guard let group = groups.first(where: { $0.name == words[1] }),
                let index = Int(words[2]), let rounds = Int(words[3])
            else { usage() }
            group.contenders()[index].run(rounds)
        case (let samples?, 1):
            guard let samples = Int(samples), samples > 0 else { usage() }
            for group in groups { group.measure(samples: samples) }
            let bytes = growth(few: 1000, many: samples > 5 ? 1_000_000 : 10_000)
            print("store.growth_kb: \(formatted(Double(bytes) / 1000)) KB")
        default:
            usage()
        }
    }

    private static func usage() -> Never {
        fatalError("usage: StoreBenchmark SAMPLES | list | count GROUP INDEX ROUNDS")
    }
}
