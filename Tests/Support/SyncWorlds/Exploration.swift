package import OfflineFirstTesting
internal import SyncCore

/// All interleavings of two devices that edit two records, with messages that are lost, late or
/// repeated.
///
/// The devices share a record of two fields. The first one changes it, creates another one and
/// changes that; the second one changes the shared record and deletes it.
package struct Exploration {
    /// How much may go wrong in one world.
    package struct Size: Hashable, Sendable {
        /// The edits of the first and of the second device that are made.
        package var edits: (first: Int, second: Int)
        /// The messages that are lost.
        package var losses: Int
        /// The answers that come after the shell has given up.
        package var lateAnswers: Int
        /// The messages that arrive twice.
        package var repeats: Int
        /// The restarts.
        package var restarts: Int
        /// The wake-ups of each device.
        package var wakes: Int
        /// The device that has the troubles; `nil` for both. With one trouble in all, the two
        /// explorations for one device each are that for both, and much smaller.
        package var troubled: Int?

        /// A size of the caller's own.
        package init(
            edits: (first: Int, second: Int) = (3, 2),
            losses: Int = 1,
            lateAnswers: Int = 1,
            repeats: Int = 1,
            restarts: Int = 0,
            wakes: Int = 1,
            troubled: Int? = nil
        ) {
            self.edits = edits
            self.losses = losses
            self.lateAnswers = lateAnswers
            self.repeats = repeats
            self.restarts = restarts
            self.wakes = wakes
            self.troubled = troubled
        }

        package static func == (left: Self, right: Self) -> Bool {
            left.edits == right.edits && left.losses == right.losses
                && left.lateAnswers == right.lateAnswers && left.repeats == right.repeats
                && left.restarts == right.restarts && left.wakes == right.wakes
                && left.troubled == right.troubled
        }

        package func hash(into hasher: inout Hasher) {
            hasher.combine(edits.first)
            hasher.combine(edits.second)
            hasher.combine(losses)
            hasher.combine(lateAnswers)
            hasher.combine(repeats)
            hasher.combine(restarts)
            hasher.combine(wakes)
            hasher.combine(troubled)
        }
    }

    /// One thing that may happen.
    enum Step: Hashable {
        case edit(Int)
        case wake(Int)
        case deliver(Int)
        case repeated(Int)
        case lose(Int)
        case giveUp(Int, Int)
        case restart(Int)
    }

    /// A world, and what may still go wrong in it.
    struct State {
        var world: World
        var left: Size
        var wakes: [Int]
        var next = [0, 0]
        /// The record of the first device's own.
        var own: RecordKey?
    }

    /// The number of different states that were visited.
    package private(set) var states = 0
    /// The number of transitions.
    package private(set) var transitions = 0
    /// The number of states in which nothing more could happen; each was led to rest.
    package private(set) var ends = 0
    /// The broken promises, each with the choices that lead there.
    package private(set) var violations: [(violation: Violation, path: [Int])] = []

    private let shared: RecordKey
    private let start: State
    private var visited: Set<Int> = []

    /// An exploration of a size, for the records of one policy's kind.
    package init(kind: UInt8, size: Size = Size(), bug: PlantedBug? = nil) {
        var lab = Lab(devices: 2, bug: bug)
        let temporary = lab.create(["a": [0, 0], "b": [0, 0]], kind: kind)
        lab.sync(on: 0)
        lab.sync(on: 0)
        lab.sync(on: 1)
        shared = lab.machine(0).name(temporary)
        start = State(world: lab.world, left: size, wakes: [size.wakes, size.wakes])
    }

    /// Whether all states that can be reached were visited.
    package private(set) var isWhole = false

    /// The sizes that `scripts/explore-sync` explores for each policy: all edits with one trouble of
    /// each sort, and one edit of each device with all sorts.
    package static let whole: [(name: String, size: Size)] = [
        ("no trouble", Size(losses: 0, lateAnswers: 0, repeats: 0, wakes: 0)),
        ("a loss of the first", Size(lateAnswers: 0, repeats: 0, wakes: 0, troubled: 0)),
        ("a loss of the second", Size(lateAnswers: 0, repeats: 0, wakes: 0, troubled: 1)),
        ("a late answer of the first", Size(losses: 0, repeats: 0, wakes: 0, troubled: 0)),
        ("a late answer of the second", Size(losses: 0, repeats: 0, wakes: 0, troubled: 1)),
        ("a repetition of the first", Size(losses: 0, lateAnswers: 0, wakes: 0, troubled: 0)),
        ("a repetition of the second", Size(losses: 0, lateAnswers: 0, wakes: 0, troubled: 1)),
        (
            "a restart of the first",
            Size(losses: 0, lateAnswers: 0, repeats: 0, restarts: 1, wakes: 0, troubled: 0)
        ),
        (
            "a restart of the second",
            Size(losses: 0, lateAnswers: 0, repeats: 0, restarts: 1, wakes: 0, troubled: 1)
        ),
        ("all sorts", Size(edits: (1, 1), restarts: 1)),
    ]

    /// The size that the tests explore.
    package static let small = Size(edits: (1, 1), wakes: 0)

    /// Visits all states that can be reached, or as many as the limit says.
    package mutating func run(limit: Int = .max) {
        var stack: [(state: State, path: [Int])] = [(start, [])]
        visited.insert(fingerprint(start))
        states = 1
        while let (state, path) = stack.popLast() {
            let steps = steps(of: state)
            if steps.isEmpty {
                ends += 1
                var world = state.world
                world.heal()
                note(world, path)
            }
            for (number, step) in steps.enumerated() {
                var next = state
                take(step, in: &next)
                dropDead(in: &next)
                transitions += 1
                if note(next.world, path + [number]) {
                    if violations.count >= 8 { return }
                    continue
                }
                guard visited.insert(fingerprint(next)).inserted else { continue }
                states += 1
                if states >= limit { return }
                stack.append((next, path + [number]))
            }
        }
        isWhole = true
    }

    /// Takes the choices of a path again.
    ///
    /// - Returns: A line for everything that happens.
    package func replay(_ path: [Int]) -> [String] {
        let log = WorldLog()
        var state = start
        state.world.log = log
        for choice in path {
            let steps = steps(of: state)
            guard steps.indices.contains(choice) else { break }
            log.note("\(steps[choice])")
            take(steps[choice], in: &state)
            dropDead(in: &state)
        }
        if steps(of: state).isEmpty {
            log.note("heal")
            state.world.heal()
        }
        for violation in state.world.violations {
            log.note("violation: \(violation.promise.rawValue): \(violation.text)")
        }
        return log.lines
    }

    @discardableResult
    private mutating func note(_ world: World, _ path: [Int]) -> Bool {
        guard let violation = world.violations.first else { return false }
        violations.append((violation, path))
        return true
    }

    private func steps(of state: State) -> [Step] {
        var steps: [Step] = []
        let wires = state.world.wires
        for position in wires.indices where !wires[..<position].contains(wires[position]) {
            steps.append(.deliver(position))
            guard mayTrouble(wires[position].device, state) else { continue }
            if state.left.repeats > 0 { steps.append(.repeated(position)) }
            if state.left.losses > 0 { steps.append(.lose(position)) }
        }
        for device in 0...1 {
            let count = device == 0 ? state.left.edits.first : state.left.edits.second
            if state.next[device] < count { steps.append(.edit(device)) }
            if state.wakes[device] > 0 { steps.append(.wake(device)) }
            if state.left.restarts > 0, mayTrouble(device, state) { steps.append(.restart(device)) }
            let awaited = state.world.devices[device].awaited
            for (number, request) in awaited.enumerated() {
                let isUnderWay = wires.contains {
                    $0.device == device && $0.body.belongs(to: request)
                }
                if !isUnderWay || state.left.lateAnswers > 0 && mayTrouble(device, state) {
                    steps.append(.giveUp(device, number))
                }
            }
        }
        return persistent(steps, state)
    }

    /// The steps from which every end is reached: those of one device, if nobody else can do anything
    /// to it, else all.
    ///
    /// A step of a device and a step of the other one, or of the server, lead to the same state in
    /// either order unless one brings the other a message, or both use up the same trouble. So unless
    /// both devices may still have troubles, a device without a request under way may take its steps
    /// first. The checkers look at what the server has done until then: less of it excuses less.
    private func persistent(_ steps: [Step], _ state: State) -> [Step] {
        let left = state.left
        guard
            left.troubled != nil
                || left.losses + left.lateAnswers + left.repeats + left.restarts == 0
        else { return steps }
        let wires = state.world.wires
        for device in 0...1
        where !wires.contains(where: { $0.device == device && $0.body.isRequest }) {
            let own = steps.filter { step in
                switch step {
                case .edit(let other), .wake(let other), .giveUp(let other, _), .restart(let other):
                    other == device
                case .deliver(let position), .repeated(let position), .lose(let position):
                    wires[position].device == device
                }
            }
            if !own.isEmpty { return own }
        }
        return steps
    }

    private func mayTrouble(_ device: Int, _ state: State) -> Bool {
        state.left.troubled.map { $0 == device } ?? true
    }

    private func take(_ step: Step, in state: inout State) {
        switch step {
        case .deliver(let position): state.world.deliver(position)
        case .repeated(let position):
            state.left.repeats -= 1
            state.world.deliver(position, isRepeated: true)
        case .lose(let position):
            state.left.losses -= 1
            state.world.wires.remove(at: position)
        case .giveUp(let device, let number):
            let request = state.world.devices[device].awaited[number]
            let isUnderWay = state.world.wires.contains {
                $0.device == device && $0.body.belongs(to: request)
            }
            if isUnderWay { state.left.lateAnswers -= 1 }
            state.world.giveUp(device, request)
        case .wake(let device):
            state.wakes[device] -= 1
            state.world.tell(device, .woken)
        case .restart(let device):
            state.left.restarts -= 1
            state.world.restart(device)
        case .edit(let device):
            edit(device, state.next[device], in: &state)
            state.next[device] += 1
        }
    }

    /// Makes worlds one that differ only in messages that can do nothing any more.
    private func dropDead(in state: inout State) {
        let world = state.world
        state.world.wires.removeAll { world.isDead($0) }
        for index in world.devices.indices {
            state.world.devices[index].awaited.removeAll { request in
                // The end of such a request is no news. A pull's always is.
                if case .pull = request { return false }
                return !world.devices[index].machine.mayTake(request)
            }
        }
    }

    private func edit(_ device: Int, _ number: Int, in state: inout State) {
        let a = WorldRules.a
        let b = WorldRules.b
        switch (device, number) {
        case (0, 0):
            state.world.edit(0, shared, .update, [Field(name: a, value: [0, 1])])
        case (0, 1):
            let key = RecordKey(kind: shared.kind, id: state.world.newTemporary())
            state.own = key
            state.world.edit(0, key, .create, [Field(name: a, value: [0, 2])])
        case (0, _):
            guard let own = state.own else { return }
            state.world.edit(0, own, .update, [Field(name: a, value: [0, 3])])
        case (_, 0):
            let values = [
                Field(name: a, value: [0, 4]), Field(name: b, value: [0, 5]),
            ]
            state.world.edit(1, shared, .update, values)
        case (_, _): state.world.edit(1, shared, .delete, [])
        }
    }

    /// All that the future depends on. Two states that differ have equal fingerprints with a
    /// probability of 1 in 2^64.
    private func fingerprint(_ state: State) -> Int {
        var hasher = Hasher()
        hasher.combine(state.left)
        hasher.combine(state.wakes)
        hasher.combine(state.next)
        hasher.combine(state.world.server)
        hasher.combine(state.world.book)
        for device in state.world.devices {
            hasher.combine(device.stored)
            hasher.combine(device.storedMeta)
            hasher.combine(device.machine.pulling)
            hasher.combine(device.process)
            hasher.combine(device.isNodeWanted)
            for request in Self.sum(device.awaited) { hasher.combine(request) }
        }
        for wire in Self.sum(state.world.wires) { hasher.combine(wire) }
        return hasher.finalize()
    }

    /// Without an order.
    private static func sum(_ values: [some Hashable]) -> [Int] { values.map(\.hashValue).sorted() }
}

extension World {
    /// Whether a message can do nothing any more, whatever else happens but a person's choice, which
    /// gives a change another number.
    ///
    /// The time stands still in an exploration, so that hearing it once more is nothing.
    func isDead(_ wire: Wire) -> Bool {
        let device = devices[wire.device]
        switch wire.body {
        case .pull(let request), .pulled(let request, _, _):
            return device.process != wire.process
                || !device.awaited.contains(.pull(request))
        case .ask, .asked, .answered:
            return device.process != wire.process || !device.machine.mayTake(wire.body)
        case .push(let request):
            let isHeard = server.hasHeard(request)
            return isHeard
                && (device.process != wire.process || !device.machine.mayTake(wire.body))
        }
    }
}

extension World.Machine {
    /// Whether the answer to a push or a question, or the news of none, may still do something.
    fileprivate func mayTake(_ body: World.Body) -> Bool {
        switch body {
        case .push(let request), .answered(let request, _, _):
            mayTake(request.stamp.id, request.attempt)
        case .ask(let request), .asked(let request, _, _): mayTake(request.id, request.attempt)
        case .pull, .pulled: false
        }
    }

    private func mayTake(_ id: ChangeID, _ attempt: UInt32) -> Bool {
        for record in stored {
            for change in record.changes where change.id == id {
                return change.attempt == attempt && !change.isAccepted && !change.isRefused
            }
        }
        return false
    }
}

extension World.Body {
    /// Whether this is a request, or the answer to it.
    func belongs(to request: Self) -> Bool {
        switch (self, request) {
        case (.pulled(let own, _, _), .pull(let other)): own == other
        case (.answered(let own, _, _), .push(let other)): own == other
        case (.asked(let own, _, _), .ask(let other)): own == other
        case (_, _): self == request
        }
    }
}
