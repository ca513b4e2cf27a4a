import Testing

/// A machine with everything around it, of which a test walks every state.
protocol WalkedWorld: Hashable {
    associatedtype Step

    /// Everything that can happen next.
    var steps: [Step] { get }
    /// The first promise that was broken; `nil` while all hold.
    var violation: String? { get }

    mutating func perform(_ step: Step)
    /// Performs what is under way, until nothing happens by itself.
    mutating func comeToRest()
}

extension WalkedWorld {
    /// Performs every sequence of steps from here on, each state once, and lets each state come to rest.
    ///
    /// - Returns: How many states there are.
    func explore() -> Int {
        var seen: Set<Self> = [self]
        var rest: [(world: Self, way: [Step])] = [(self, [])]
        while let (world, way) = rest.popLast() {
            var resting = world
            resting.comeToRest()
            if let violation = resting.violation {
                Issue.record("\(violation) at rest after \(way)")
                return seen.count
            }
            for step in world.steps {
                var next = world
                next.perform(step)
                if let violation = next.violation {
                    Issue.record("\(violation) after \(way + [step])")
                    return seen.count
                }
                if seen.insert(next).inserted { rest.append((next, way + [step])) }
            }
        }
        return seen.count
    }
}
