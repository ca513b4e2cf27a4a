import Testing

@testable import OfflineFirst

@Suite struct RefreshMachineTests {
    private typealias Machine = RefreshMachine<Int>

    /// A machine, with what its shell knows.
    private struct World {
        var machine: Machine
        var flying: [Machine.Start] = []
        /// Targets that were asked for since their last flight began, or since it became void.
        var owed: Set<Int> = []
        var void: Set<UInt64> = []
        var numbers: Set<UInt64> = []
        /// The order in which waiting targets were asked for.
        var queue: [Int] = []

        mutating func begin(_ starts: [Machine.Start], _ limit: Int) throws {
            for start in starts {
                #expect(numbers.insert(start.number).inserted)
                #expect(!flying.contains { $0.target == start.target })
                #expect(queue.first == start.target)
                queue.removeFirst()
                owed.remove(start.target)
                flying.append(start)
            }
            #expect(flying.count <= limit)
            #expect(flying.count == limit || queue.isEmpty)
            for target in 0..<3 {
                let isKnown = flying.contains { $0.target == target } || queue.contains(target)
                #expect(machine.isRefreshing(target) == isKnown)
                #expect(!owed.contains(target) || isKnown)
            }
        }

        mutating func ask(_ target: Int, _ limit: Int) throws {
            if let flight = flying.first(where: { $0.target == target }) {
                if void.contains(flight.number) { owed.insert(target) }
            } else {
                owed.insert(target)
                if !queue.contains(target) { queue.append(target) }
            }
            try begin(machine.asked(target), limit)
        }

        mutating func change(_ target: Int, _ limit: Int) throws {
            if let flight = flying.first(where: { $0.target == target }) {
                void.insert(flight.number)
            }
            machine.changed(target)
            try begin([], limit)
        }

        mutating func end(_ flight: Machine.Start, _ isWanted: Bool, _ limit: Int) throws {
            flying.removeAll { $0 == flight }
            let isAgain =
                void.contains(flight.number) && (isWanted || owed.contains(flight.target))
            if isAgain {
                owed.insert(flight.target)
                queue.append(flight.target)
            }
            switch machine.ended(flight, isWanted: isWanted) {
            case .over(let starts)?:
                #expect(!isAgain)
                try begin(starts, limit)
            case .again(let starts)?:
                #expect(isAgain)
                try begin(starts, limit)
            case nil: Issue.record("a flight in the air was not known")
            }
            // It ends once.
            #expect(machine.ended(flight, isWanted: true) == nil)
        }
    }

    @Test("the invariants hold in every course of eight events", arguments: [1, 2])
    func everyCourse(limit: Int) throws {
        var courses = 0
        func go(_ world: World, _ depth: Int) throws {
            guard depth > 0 else {
                courses += 1
                return
            }
            // A third target says nothing new while two do not fit.
            for target in 0..<(limit + 1) {
                var asked = world
                try asked.ask(target, limit)
                try go(asked, depth - 1)
            }
            for flight in world.flying {
                if !world.void.contains(flight.number) {
                    var changed = world
                    try changed.change(flight.target, limit)
                    try go(changed, depth - 1)
                }
                for isWanted in [false, true] {
                    var ended = world
                    try ended.end(flight, isWanted, limit)
                    try go(ended, depth - 1)
                }
            }
        }
        try go(World(machine: Machine(maximumFlights: limit)), limit == 1 ? 7 : 5)
        #expect(courses > 1000)
    }

    @Test("whoever asks while a target flies waits for that flight")
    func joined() throws {
        var machine = Machine(maximumFlights: 4)
        let start = try #require(machine.asked(1).first)
        #expect(machine.asked(1).isEmpty && machine.asked(1).isEmpty)
        #expect(machine.ended(start, isWanted: true) == .over(begin: []))
        #expect(machine.asked(1).count == 1)
    }

    @Test("targets beyond the limit fly in the order in which they were asked for")
    func ordered() throws {
        var machine = Machine(maximumFlights: 1)
        var flight = try #require(machine.asked(0).first)
        for target in 1...50 { #expect(machine.asked(target).isEmpty) }
        for target in 1...50 {
            guard case .over(let starts)? = machine.ended(flight, isWanted: true) else {
                Issue.record("not over")
                return
            }
            flight = try #require(starts.first)
            #expect(flight.target == target && starts.count == 1)
        }
        #expect(machine.ended(flight, isWanted: true) == .over(begin: []))
    }
}
