import MemoCore
import Testing

@Suite("The draft machine")
struct DraftMachineTests {
    @Test(
        "whatever happens in whatever order, no text is lost, doubled, or sent and kept as a draft",
        arguments: [
            DraftWorld.Budget(types: 3, presses: 2, leaves: 1),
            DraftWorld.Budget(types: 2, presses: 2, failures: 2),
            DraftWorld.Budget(types: 2, erasures: 1, leaves: 1, failures: 1),
            DraftWorld.Budget(types: 1, erasures: 1, presses: 1, ends: 2),
            DraftWorld.Budget(types: 2, presses: 1, failures: 1, ends: 1, shares: 1),
            DraftWorld.Budget(types: 2, presses: 1, leaves: 1, failures: 1, ends: 1, signOuts: 1),
        ]
    )
    func exhaustive(_ budget: DraftWorld.Budget) {
        let states = DraftWorld(budget).explore()
        #expect(states > 500, "\(states) states")
    }

    @Test("a draft joins the typed text soon after the start, and later only an empty field")
    func joining() {
        for (isEmpty, waited, isRestored) in [
            (true, 0, true), (false, 9_999, true), (false, 10_000, false), (true, 10_000, true),
        ] as [(Bool, Int64, Bool)] {
            var machine = DraftMachine<Int>()
            #expect(machine.handle(.ended(1)) == [.look])
            let effects = machine.handle(.looked(isEmpty: isEmpty, waited: waited))
            #expect(effects == (isRestored ? [.restore(1)] : []))
        }
        #expect(DraftMachine<Int>.joined([65], [66]) == [65, 10, 10, 66])
        #expect(DraftMachine<Int>.joined([], [66]) == [66])
    }

    @Test("a draft that had to wait for a memo comes when the memo was sent")
    func afterMemo() {
        var machine = DraftMachine<Int>()
        _ = machine.handle(.ended(1))
        _ = machine.handle(.looked(isEmpty: false, waited: 10_000))
        _ = machine.handle(.pressed)
        #expect(machine.handle(.sent([], isEmpty: true)) == [.look])
        #expect(machine.handle(.looked(isEmpty: true, waited: 60_000)) == [.restore(1)])
    }

    @Test("a draft that is gone leaves its turn to the next, and one restored draft is enough")
    func candidates() {
        var machine = DraftMachine<Int>()
        _ = machine.handle(.ended(1))
        _ = machine.handle(.looked(isEmpty: true, waited: 0))
        for source in 2...3 { #expect(machine.handle(.ended(source)) == []) }
        #expect(machine.handle(.gone) == [.release(1), .look])
        #expect(machine.handle(.looked(isEmpty: true, waited: 0)) == [.restore(2)])
        #expect(machine.handle(.restored(isMerged: false)) == [.release(3)])
        #expect(machine.handle(.ended(4)) == [.release(4)])
        #expect(machine.taken == [2])
    }

    @Test("a failure to save is told once, however often it is met, and told again after a success")
    func failure() {
        var machine = DraftMachine<Int>()
        for (isTold, isDone) in [(true, false), (false, false), (false, true), (true, false)] {
            #expect(machine.handle(.typed) == [.pause])
            #expect(machine.handle(.paused) == [.save])
            #expect(machine.handle(.ready) == [.write([])])
            let effects = machine.handle(isDone ? .saved : .saveFailed)
            #expect(effects == (isTold ? [.tellNotSaved] : []))
        }
    }

    @Test("leaving with a text that cannot be saved is answered differently the second time")
    func leaving() {
        var machine = DraftMachine<Int>()
        #expect(machine.handle(.leaving) == [.answer(.kept)])
        _ = machine.handle(.typed)
        #expect(machine.handle(.leaving) == [.save])
        #expect(machine.handle(.saveFailed) == [.tellNotSaved, .answer(.lost)])
        #expect(machine.handle(.leaving) == [.save])
        #expect(machine.handle(.saveFailed) == [.answer(.lostAgain)])
        #expect(machine.handle(.typed) == [.pause])
        #expect(machine.handle(.leaving) == [.save])
        #expect(machine.handle(.saveFailed) == [.answer(.lost)])
    }

    @Test("after signing out nothing is saved, and leaving is answered truly")
    func signedOut() {
        var machine = DraftMachine<Int>()
        _ = machine.handle(.typed)
        #expect(machine.handle(.signedOut) == [])
        #expect(machine.handle(.paused) == [])
        #expect(machine.handle(.typed) == [])
        #expect(machine.handle(.leaving) == [.answer(.lost)])
    }
}
