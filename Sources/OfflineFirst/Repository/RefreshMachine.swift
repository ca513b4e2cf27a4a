/// A state machine that decides which targets are fetched now. Pure: the shell fetches, and tells what
/// happened.
///
/// ## States of a target
/// ```
/// idle ──asked──▶ waiting ──place free──▶ flying ──ended──▶ idle
///                    ▲                      │
///                    └── ended, void, and somebody wants it still ┘
/// ```
/// A flight is *void* when a local change came while it was in the air: its answer is not taken.
///
/// ## Invariants
/// 1. At most one flight of a target is in the air, however many ask.
/// 2. At most ``maximumFlights`` flights are in the air. A target waits only while there are so many.
/// 3. Waiting targets fly in the order in which they were asked for first.
/// 4. A flight ends once. An end that names another number than the flight in the air is ignored.
/// 5. A target that was asked for flies; one that was asked for after its flight became void flies once
///    more.
///
/// ## Failures
/// | failure | outcome |
/// |---|---|
/// | a flight never ends | the shell ends it after a time; its later end is ignored |
/// | a flight ends twice | the second end is ignored |
/// | local changes never cease | each void flight is followed by one more at most, behind those that wait |
struct RefreshMachine<Target: Hashable & Sendable>: Sendable {
    /// A flight to begin.
    struct Start: Hashable, Sendable {
        let target: Target
        /// The number of the flight; no other flight has it.
        let number: UInt64
    }

    /// The outcome of an end.
    enum End: Hashable, Sendable {
        /// The target's flight is over: those who wait for it are answered. Then these begin.
        case over(begin: [Start])
        /// The answer is void, and the target flies once more: those who wait go on waiting. Now, or
        /// later, as these say.
        case again(begin: [Start])
    }

    private struct Flight {
        let number: UInt64
        var isVoid = false
        var isAskedAgain = false
    }

    /// The most flights in the air.
    let maximumFlights: Int
    private var flights: [Target: Flight] = [:]
    private var waiting: [Target] = []
    /// The position of the first that waits.
    private var first = 0
    private var isWaiting: Set<Target> = []
    private var lastNumber: UInt64 = 0

    init(maximumFlights: Int) {
        precondition(maximumFlights > 0)
        self.maximumFlights = maximumFlights
    }

    /// Whether a target flies or waits for its flight.
    func isRefreshing(_ target: Target) -> Bool {
        flights[target] != nil || isWaiting.contains(target)
    }

    /// Somebody wants a target to be fetched.
    ///
    /// - Complexity: O(1), averaged.
    mutating func asked(_ target: Target) -> [Start] {
        if let flight = flights[target] {
            if flight.isVoid { flights[target]?.isAskedAgain = true }
            return []
        }
        if isWaiting.insert(target).inserted { waiting.append(target) }
        return begin()
    }

    /// A local change was made: the answer of a flight in the air is void.
    mutating func changed(_ target: Target) {
        flights[target]?.isVoid = true
    }

    /// A flight ended, or is given up.
    ///
    /// - Parameter isWanted: Whether somebody waits for the target or looks at it, and an answer could be
    ///   taken. Asked only if the flight is void.
    /// - Returns: `nil` if this flight is not in the air.
    mutating func ended(_ start: Start, isWanted: @autoclosure () -> Bool) -> End? {
        guard let flight = flights[start.target], flight.number == start.number else { return nil }
        flights[start.target] = nil
        guard flight.isVoid, flight.isAskedAgain || isWanted() else { return .over(begin: begin()) }
        return .again(begin: asked(start.target))
    }

    private mutating func begin() -> [Start] {
        var starts: [Start] = []
        while flights.count < maximumFlights, first < waiting.count {
            let target = waiting[first]
            first += 1
            isWaiting.remove(target)
            lastNumber += 1
            flights[target] = Flight(number: lastNumber)
            starts.append(Start(target: target, number: lastNumber))
        }
        if first * 2 > waiting.count {
            waiting.removeFirst(first)
            first = 0
        }
        return starts
    }
}
