import OutboxCore
import PostgreSQL
import RelayRules

/// Events that are to be counted in steps: one statement for each key and step, however many events there are.
/// A row that a transaction updates again and again has a version for each time, and each update goes through
/// all of them.
struct StepCounts {
    private struct Step: Hashable {
        let key: [UInt8]
        let begins: WallTime
    }

    private var counts: [(key: [UInt8], steps: RateSteps, events: Int)] = []
    private var places: [Step: Int] = [:]

    /// Adds events of a key in the step of a moment.
    mutating func add(_ events: Int = 1, of key: [UInt8], in steps: RateSteps) {
        let step = Step(key: key, begins: steps.current)
        if let place = places[step] {
            counts[place].events += events
        } else {
            places[step] = counts.count
            counts.append((key, steps, events))
        }
    }

    /// Adds all of another one's events.
    mutating func add(_ other: StepCounts) {
        for count in other.counts { add(count.events, of: count.key, in: count.steps) }
    }

    /// The statements, in the order in which the steps were first added.
    var statements: [Statement] {
        counts.map { count in
            Statement(
                """
                INSERT INTO memo_use(subject, place, begins, memos) VALUES ($1, $2, $3, $4)
                ON CONFLICT (subject, place) DO UPDATE SET begins = excluded.begins,
                    memos = CASE WHEN memo_use.begins = excluded.begins
                        THEN memo_use.memos + excluded.memos ELSE excluded.memos END
                """,
                [
                    .bytes(count.key), .integer(count.steps.row), .time(count.steps.current),
                    .count(count.events),
                ]
            )
        }
    }
}
