import StoreCore
import Testing

@Suite("Changes")
struct ChangesTests {
    struct State: Equatable {
        var a = 0
        var b = 0
        var c = 0
        var title = "title"
    }

    private func changes(_ change: (inout State) -> Void) -> Changes<State> {
        var new = State()
        change(&new)
        return Changes(previous: State(), current: new, version: 1, origin: CommitOrigin())
    }

    private let first = Changes(
        previous: nil,
        current: State(),
        version: 0,
        origin: CommitOrigin()
    )

    @Test("a part is told only when it changed, and always in a first delivery")
    func onePart() {
        #expect(changes { $0.a = 1 }.ifChanged(\.a) { $0 } == 1)
        #expect(changes { $0.b = 1 }.ifChanged(\.a) { $0 } == nil)
        #expect(first.ifChanged(\.a) { $0 } == 0)
    }

    @Test("several parts are told when any of them changed")
    func severalParts() {
        for path in [\State.a, \.b, \.c] {
            let changed = changes { $0[keyPath: path] = 1 }
            #expect(changed.ifChanged(\.a, \.b) { $0 + $1 } == (path == \.c ? nil : 1))
            #expect(changed.ifChanged(\.a, \.b, \.c) { $0 + $1 + $2 } == 1)
            #expect(changed.ifChanged(\.title, \.title, \.title) { _, _, _ in 1 } == nil)
        }
        #expect(first.ifChanged(\.a, \.b) { $0 + $1 } == 0)
        #expect(first.ifChanged(\.a, \.b, \.c) { $0 + $1 + $2 } == 0)
    }

    @Test("the caller's own measure decides")
    func ownMeasure() {
        let parity = { (left: Int, right: Int) in left % 2 == right % 2 }
        #expect(changes { $0.a = 2 }.ifChanged(\.a, by: parity) { $0 } == nil)
        #expect(changes { $0.a = 3 }.ifChanged(\.a, by: parity) { $0 } == 3)
        #expect(first.ifChanged(\.a, by: parity) { $0 } == 0)
    }

    @Test(
        "a transformed value is computed only if its part changed, and told only if it changed too"
    )
    func transformedPart() {
        var computed = 0
        func parity(_ value: Int) -> Int {
            computed += 1
            return value % 2
        }
        #expect(changes { $0.b = 1 }.ifChanged(\.a, map: parity) { $0 } == nil)
        #expect(computed == 0)
        #expect(changes { $0.a = 2 }.ifChanged(\.a, map: parity) { $0 } == nil)
        #expect(computed == 2)
        #expect(changes { $0.a = 3 }.ifChanged(\.a, map: parity) { $0 } == 1)
        #expect(first.ifChanged(\.a, map: parity) { $0 } == 0)
    }

    @Test(
        "parts of the current state are read by their names, and it tells where the commit was made"
    )
    func dynamicMembers() {
        let changed = changes { $0.title = "new" }
        let line = #line - 1
        #expect(changed.title == "new")
        #expect(changed.previous?.title == "title")
        #expect("\(changed.origin.name)".hasPrefix("changes"))
        #expect("\(changed.origin.file)".hasSuffix("ChangesTests.swift"))
        #expect(changed.origin.line < line)
    }
}
