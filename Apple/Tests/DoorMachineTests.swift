import Testing

@testable import MemoDoors

/// The machine of a door, with every sequence of events.
@Suite("The machine of a door")
struct DoorMachineTests {
    private typealias Machine = DoorMachine<Int, Int>

    /// Events and what each of them has caused.
    private struct Course {
        var events: [Machine.Event] = []
        var effects: [[Machine.Effect]] = []
        var machine = Machine()

        var all: [Machine.Effect] { effects.flatMap(\.self) }

        var answers: [Machine.Outcome] {
            all.compactMap { if case .answer(let outcome) = $0 { outcome } else { nil } }
        }

        func after(_ event: Machine.Event) -> Course {
            var next = self
            next.events.append(event)
            next.effects.append(next.machine.handle(event))
            return next
        }
    }

    private static let events: [Machine.Event] = [
        .granted, .expired, .worked(.stored(1)), .worked(.refused(2)), .closed,
    ]

    /// The courses of every sequence of six events.
    private static let courses: [Course] = (0..<6).reduce([Course()]) { courses, _ in
        courses.flatMap { course in events.map { course.after($0) } }
    }

    /// The events of the courses that break a rule.
    private func breaking(_ rule: (Course) -> Bool) -> [[Machine.Event]] {
        Self.courses.filter { !rule($0) }.map(\.events)
    }

    @Test("stores a text once, and answers once, after the box is closed")
    func once() {
        #expect(Self.courses.count == 15625)
        let broken = breaking { course in
            guard course.all.count(where: { $0 == .store }) <= 1, course.answers.count <= 1 else {
                return false
            }
            guard let answer = course.answers.first, course.all.contains(.store) else {
                return true
            }
            // What stands before the answer has closed the box.
            let index = course.effects.firstIndex { $0.contains(.answer(answer)) }
            return index.map { course.events[$0] == .closed } ?? false
        }
        #expect(broken.isEmpty)
    }

    @Test("says stored only of what was stored, and asks for its delivery before")
    func truth() {
        let broken = breaking { course in
            guard let told = course.all.firstIndex(of: .answer(.stored(1))) else {
                return !course.all.contains(.askForDelivery)
            }
            return course.events.contains(.worked(.stored(1)))
                && course.all[told - 1] == .askForDelivery
        }
        #expect(broken.isEmpty)
    }

    @Test("begins nothing once the time is over")
    func over() {
        let broken = breaking { course in
            guard let end = course.events.firstIndex(of: .expired) else { return true }
            return !course.effects[end...].joined().contains(.store)
        }
        #expect(broken.isEmpty)
    }

    @Test("without time the person is told at once, and nothing is stored")
    func noTime() {
        var machine = Machine()
        #expect(machine.handle(.expired) == [.answer(.noTime)])
        #expect(machine.isOver)
        #expect(machine.handle(.granted) == [])
    }
}
