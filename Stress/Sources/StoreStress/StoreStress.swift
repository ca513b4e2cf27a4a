import Foundation

/// Lets many threads use a few stores at random, in rounds of one seed each, until the time is up.
///
///     StoreStress [--seconds N] [--seed N] [--threads N]
///
/// The first round uses the given seed, the following ones the numbers after it. A violation ends
/// the program with status 1 and names the seed. A seed fixes what every thread does; when it does
/// it is up to the system, so that a seed is run many times to find the same violation again.
@main
struct StoreStress {
    static func main() {
        let arguments = Array(CommandLine.arguments.dropFirst())
        let seconds = number("--seconds", in: arguments) ?? 20
        let threads = Int(number("--threads", in: arguments) ?? 8)
        var seed = number("--seed", in: arguments) ?? .random(in: 0..<1_000_000_000)
        let end = ContinuousClock.now + .seconds(Int(seconds))
        var tally = Tally()
        var rounds = 0
        repeat {
            let round = Round(seed: seed, threads: threads)
            tally += round.run()
            if let violation = round.violations.first {
                print("seed \(seed), \(threads) threads: \(violation)")
                print("All violations of the round: \(round.violations.count)")
                exit(1)
            }
            seed += 1
            rounds += 1
        } while ContinuousClock.now < end
        print("\(rounds) rounds, \(tally), no violation")
    }

    private static func number(_ name: String, in arguments: [String]) -> UInt64? {
        guard let index = arguments.firstIndex(of: name) else { return nil }
        guard index + 1 < arguments.count, let value = UInt64(arguments[index + 1]) else {
            print("\(name) needs a number.")
            exit(2)
        }
        return value
    }
}

/// Counts of the work done, to show that there was some.
struct Tally: CustomStringConvertible {
    var commits = 0
    var deliveries = 0
    var subscriptions = 0

    static func += (left: inout Tally, right: Tally) {
        left.commits += right.commits
        left.deliveries += right.deliveries
        left.subscriptions += right.subscriptions
    }

    var description: String {
        "\(commits) commits, \(subscriptions) subscriptions, \(deliveries) deliveries"
    }
}
