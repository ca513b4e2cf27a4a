import OutboxCore
import Testing

@testable import Outbox

/// The decisions of one drain, without a drain.
@Suite struct DrainCourseTests {
    private static let now = WallTime(millisecondsSinceEpoch: 1_800_000_000_000)
    private static let all: [DeliveryMachine.Outcome] = [
        .done, .park("p"), .retry("r"), .retryOnNetwork("n"), .retryAfter(nil, "a"),
    ]

    private static func id(_ number: UInt64) -> OperationID {
        OperationID(high: 0, low: number)
    }

    /// A machine in which this many operations are being attempted.
    private static func machine(attempting count: UInt64) -> DeliveryMachine {
        var machine = DeliveryMachine(policy: .device, maximumInFlight: 8)
        _ = machine.woken()
        let envelopes = (0..<count).map { Envelope(id: id($0), kind: "k", createdAt: now) }
        _ = machine.loaded(envelopes, nextEligibleAt: nil, now: now)
        return machine
    }

    @Test("while a drain runs every outcome counts; after a stop only a final one")
    func outcomes() {
        for outcome in Self.all {
            var course = DrainCourse()
            let countsBefore = course.counts(outcome)
            course.stopped()
            let countsAfter = course.counts(outcome)
            #expect(countsBefore && countsAfter == outcome.isFinal)
        }
    }

    @Test("a drain until idle ends when nothing is in flight and nothing is scheduled")
    func idle() {
        let (busy, idle) = (Self.machine(attempting: 1), Self.machine(attempting: 0))
        var course = DrainCourse()
        #expect(!course.isFinished(busy, .idle))
        #expect(course.isFinished(idle, .idle) && !course.isFinished(idle, .cancelled))
        course.looked(isScheduled: true)
        #expect(!course.isFinished(idle, .idle))
        course.looked(isScheduled: false)
        #expect(course.isFinished(idle, .idle))
    }

    @Test("a stopped drain ends when each attempt is stored or was cut short, in every order")
    func stopping() {
        for isFinal in Combinations.ofBools(4) {
            var machine = Self.machine(attempting: 4)
            var course = DrainCourse()
            machine.stopped()
            course.stopped()
            for (number, isFinal) in isFinal.enumerated() {
                #expect(!course.isFinished(machine, .cancelled))
                let id = Self.id(UInt64(number))
                let outcome: DeliveryMachine.Outcome = isFinal ? .done : .retry("cut short")
                guard course.counts(outcome) else { continue }
                _ = machine.attemptFinished(id, .done, now: Self.now, jitter: 0)
                #expect(!course.isFinished(machine, .cancelled))
                let load = machine.transitionStored(id)
                #expect(load == nil)
            }
            #expect(course.isFinished(machine, .cancelled))
        }
    }

    @Test("a second stop forgets no attempt that was cut short")
    func stoppedTwice() {
        var machine = Self.machine(attempting: 1)
        var course = DrainCourse()
        machine.stopped()
        course.stopped()
        let isStored = course.counts(.retry("cut short"))
        #expect(!isStored)
        course.stopped()
        #expect(course.isFinished(machine, .cancelled))
    }

    @Test("handlers begin apart for a while after one that held the drain's thread")
    func apart() {
        var course = DrainCourse()
        course.held(Milliseconds(1))
        let isApartAtOnce = course.beginsApart()
        #expect(!isApartAtOnce)
        course.held(Milliseconds(2))
        let isApart = (0..<200).map { _ in course.beginsApart() }
        #expect(isApart.prefix(100).allSatisfy { $0 } && !isApart.dropFirst(100).contains(true))
    }

    @Test("an entry that was not found is left alone only if it is handed out again")
    func notFound() {
        var entries = EntriesLeftAlone()
        let one = HandedOut(entry: EntryID(rawValue: 1), operation: Self.id(1))
        #expect(entries.decision(about: one) == .attempt)
        entries.wasNotFound(one)
        #expect(entries.decision(about: one) == .beginToLeave)
        entries.sawAllEligible()
        #expect(entries.decision(about: one) == .attempt)
        let isLeft = entries.leave(one)
        #expect(isLeft && entries.decision(about: one) == .leave)
    }

    @Test("so many entries are left alone and no more")
    func most() {
        var entries = EntriesLeftAlone()
        let handedOut = (0...EntriesLeftAlone.most).map {
            HandedOut(entry: EntryID(rawValue: Int64($0) + 1), operation: nil)
        }
        let areLeft = handedOut.map { entries.leave($0) }
        #expect(areLeft.count { $0 } == EntriesLeftAlone.most)
        #expect(entries.count == EntriesLeftAlone.most)
    }
}

private enum Combinations {
    static func ofBools(_ count: Int) -> [[Bool]] {
        (0..<1 << count).map { bits in (0..<count).map { bits >> $0 & 1 == 1 } }
    }
}
