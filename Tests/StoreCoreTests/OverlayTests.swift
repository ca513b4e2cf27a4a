import OutboxTesting
import StoreCore
import Testing

@Suite("Overlay")
struct OverlayTests {
    struct Missing: Error, Equatable {}

    /// Adds to a number that must be there.
    struct Addition: PendingChange, Equatable {
        let id: Int
        let key: Int
        let amount: Int

        func apply(to base: inout [Int: Int]) throws(Missing) {
            // A change before the error must not show.
            base[-1, default: 0] += 1
            guard let old = base[key] else { throw Missing() }
            base[key] = old + amount
        }
    }

    private func replay(_ overlay: Overlay<Addition>) -> (current: [Int: Int], unfit: [Int]) {
        var current = overlay.base
        var unfit: [Int] = []
        for change in overlay.pending {
            var next = current
            if (try? change.apply(to: &next)) != nil {
                current = next
            } else {
                unfit.append(change.id)
            }
        }
        return (current, unfit)
    }

    @Test("a change shows at once, and the server's answer takes its place")
    func confirmation() throws {
        var overlay = Overlay<Addition>([1: 10, 2: 20])
        try overlay.add(Addition(id: 1, key: 1, amount: 5))
        try overlay.add(Addition(id: 2, key: 2, amount: 5))
        #expect(overlay.current[1] == 15)
        #expect(overlay.base == [1: 10, 2: 20])
        #expect(overlay.confirm(1) { $0[1] = 16 }?.id == 1)
        #expect(overlay.current[1] == 16)
        #expect(overlay.current[2] == 25)
        #expect(overlay.pending.map(\.id) == [2])
    }

    @Test("an answer that comes twice changes nothing the second time")
    func repeatedAnswers() throws {
        var overlay = Overlay<Addition>([1: 10])
        try overlay.add(Addition(id: 1, key: 1, amount: 5))
        overlay.confirm(1) { $0[1] = 15 }
        #expect(overlay.confirm(1) { $0[1] = 99 } == nil)
        #expect(overlay.reject(1) == nil)
        #expect(overlay.current == [1: 15])
    }

    @Test("a refused change is taken back, and those after it stay")
    func rejection() throws {
        var overlay = Overlay<Addition>([1: 10])
        try overlay.add(Addition(id: 1, key: 1, amount: 5))
        try overlay.add(Addition(id: 2, key: 1, amount: 100))
        #expect(overlay.reject(1)?.id == 1)
        #expect(overlay.current[1] == 110)
    }

    @Test("a change that does not fit is refused at once and leaves no trace")
    func misfitAtOnce() {
        var overlay = Overlay<Addition>([1: 10])
        #expect(throws: Missing()) { try overlay.add(Addition(id: 1, key: 2, amount: 5)) }
        #expect(overlay.current == [1: 10])
        #expect(overlay.pending.isEmpty)
    }

    @Test(
        "a change whose ground is pulled away stays pending, is told of, and shows again with its ground"
    )
    func misfitLater() throws {
        var overlay = Overlay<Addition>([1: 10, 2: 20])
        try overlay.add(Addition(id: 1, key: 1, amount: 5))
        try overlay.add(Addition(id: 2, key: 2, amount: 5))
        overlay.rebase { $0[1] = nil }
        #expect(overlay.unfit.map(\.id) == [1])
        #expect(overlay.current == [2: 25, -1: 1])
        #expect(overlay.pending.count == 2)
        overlay.rebase { $0[1] = 0 }
        #expect(overlay.unfit.isEmpty)
        #expect(overlay.current[1] == 5)
    }

    @Test("a pull or an answer that throws changes nothing")
    func throwingBodies() throws {
        var overlay = Overlay<Addition>([1: 10])
        try overlay.add(Addition(id: 1, key: 1, amount: 5))
        func fail(_ base: inout [Int: Int]) throws(Missing) {
            base = [:]
            throw Missing()
        }
        #expect(throws: Missing()) { try overlay.rebase(fail) }
        #expect(throws: Missing()) { try overlay.confirm(1, fail) }
        #expect(overlay.base == [1: 10])
        #expect(overlay.current[1] == 15)
        #expect(overlay.pending.map(\.id) == [1])
    }

    @Test(
        "what is shown is always the base with the log replayed",
        arguments: 0..<50 as Range<UInt64>
    )
    func invariant(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var overlay = Overlay<Addition>([1: 1, 2: 2, 3: 3])
        for step in 0..<200 {
            let key = Int.random(in: 1...4, using: &random)
            switch Int.random(in: 0..<5, using: &random) {
            case 0, 1:
                let change = Addition(id: step, key: key, amount: step)
                let fits = overlay.current[key] != nil
                let before = overlay.pending.count
                try? overlay.add(change)
                #expect(overlay.pending.count == before + (fits ? 1 : 0), "seed \(seed)")
            case 2:
                overlay.rebase { $0[key] = Bool.random(using: &random) ? step : nil }
            case 3:
                if let id = overlay.pending.randomElement(using: &random)?.id {
                    overlay.confirm(id) { $0[key] = step }
                }
            default:
                if let id = overlay.pending.randomElement(using: &random)?.id { overlay.reject(id) }
            }
            let expected = replay(overlay)
            #expect(overlay.current == expected.current, "seed \(seed)")
            #expect(overlay.unfit.map(\.id) == expected.unfit, "seed \(seed)")
            let restarted = Overlay(overlay.base, pending: overlay.pending)
            #expect(restarted.current == overlay.current, "seed \(seed)")
        }
    }
}
