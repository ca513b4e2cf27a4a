import Measurement

/// Contenders that are measured in turn, and the figures that come of it.
struct Group: Sendable {
    let name: String
    /// How often each contender does its thing in one sample.
    let rounds: [Int]
    let contenders: @Sendable () -> [Contender]
    let figures: @Sendable ([Samples]) -> [(name: String, ratio: Double)]

    func measure(samples: Int) {
        let contenders = contenders()
        let results = alternate(contenders, samples: samples, rounds: rounds)
        for (contender, result) in zip(contenders, results) {
            print("  \(contender.name): \(result.summary)")
        }
        for figure in figures(results) {
            print("store.\(figure.name): \(formatted(figure.ratio)) x")
        }
    }
}

let groups = [
    Group(
        name: "wake",
        rounds: [1000, 1, 1],
        contenders: { wakeContenders(subscribers: 10_000) },
        figures: { times in
            let quickestPeer = min(times[1].median, times[2].median)
            return [("wake_vs_broadcast", quickestPeer / times[0].median)]
        }
    ),
    Group(
        name: "update",
        rounds: [1000, 1000, 1],
        contenders: { updateContenders(tickets: 100_000, moves: false) },
        figures: { times in
            [
                ("update_vs_treedictionary", times[0].median / times[1].median),
                ("update_vs_copy", times[2].median / times[0].median),
            ]
        }
    ),
    Group(
        name: "update_moving",
        rounds: [1000, 1000, 1],
        contenders: { updateContenders(tickets: 100_000, moves: true) },
        figures: { times in
            [("update_moving_vs_treedictionary", times[0].median / times[1].median)]
        }
    ),
    Group(
        name: "commit",
        rounds: [100_000, 100_000],
        contenders: { commitContenders() },
        figures: { times in [("commit_vs_lock", times[0].median / times[1].median)] }
    ),
    Group(
        name: "derived",
        rounds: [100_000, 100_000, 100_000],
        contenders: { derivedContenders() },
        figures: { times in
            let quickestRead = min(times[1].median, times[2].median)
            return [("derived_vs_read", times[0].median / quickestRead)]
        }
    ),
]
