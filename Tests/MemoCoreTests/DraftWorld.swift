import MemoCore

/// One composer around a ``DraftMachine``, its records, and everything that can happen to both. A
/// text is a list of numbers: each typed number is another one.
struct DraftWorld: WalkedWorld {
    typealias Machine = DraftMachine<Int>

    enum Step: Hashable {
        case type, erase, pause, leave, press, share, signOut
        case end(Int, isLate: Bool)
        /// What is under way goes on: sealing, preparing a memo, reading a draft.
        case seal, prepare, read
        case commit, answer
        case sealFails, prepareFails, commitFails
    }

    struct Press: Hashable {
        var text: [Int]
        let spent: [Int]
    }

    enum Write: Hashable {
        case draft([Int], spent: [Int])
        case memo(Press)
    }

    struct Answer: Hashable {
        let write: Write
        let isDone: Bool
    }

    /// How often each kind of step may happen.
    struct Budget: Hashable {
        var types = 2
        var erasures = 0
        var presses = 1
        var leaves = 0
        var failures = 0
        var ends = 0
        var shares = 0
        var signOuts = 0
    }

    private(set) var machine = Machine()
    private(set) var budget: Budget
    private(set) var field: [Int] = []
    private(set) var own: [Int] = []
    private(set) var others: [Int: [Int]] = [:]
    private(set) var memos: [[Int]] = []
    private var last = 0
    private var hasTimer = false
    /// The text of the save under way, until it is written.
    private var sealing: [Int]?
    private var savesUnderway = 0
    private var presses: [Press] = []
    private var isStoring = false
    private var writes: [Write] = []
    private var answers: [Answer] = []
    private var reading: Int?
    private var isLate = false
    private var waiting = 0
    private var restored = 0
    private var hasLost = false
    private(set) var isSignedOut = false
    /// Numbers that were stored, and which no person has erased.
    private var durable: Set<Int> = []
    private var erased: Set<Int> = []
    /// The first guarantee that is broken.
    private(set) var violation: String?

    init(_ budget: Budget) {
        self.budget = budget
        for number in 0..<budget.ends { others[100 + number] = [100 + number] }
        for number in 0..<budget.shares { others[200 + number] = [200 + number] }
        noteDurable()
    }

    // MARK: Steps

    var steps: [Step] {
        var steps: [Step] = []
        if budget.types > 0 { steps.append(.type) }
        if budget.erasures > 0, !field.isEmpty { steps.append(.erase) }
        if budget.presses > 0, !field.isEmpty, !isSignedOut { steps.append(.press) }
        if budget.leaves > 0 { steps.append(.leave) }
        if budget.shares > 0, !isSignedOut { steps.append(.share) }
        if budget.signOuts > 0, !isSignedOut { steps.append(.signOut) }
        if budget.ends > 0, !isSignedOut {
            steps.append(.end(99 + budget.ends, isLate: false))
            steps.append(.end(99 + budget.ends, isLate: true))
        }
        steps += pending
        guard budget.failures > 0 else { return steps }
        if sealing != nil { steps.append(.sealFails) }
        if !presses.isEmpty, !isStoring { steps.append(.prepareFails) }
        if !writes.isEmpty { steps.append(.commitFails) }
        return steps
    }

    /// The steps that happen by themselves.
    var pending: [Step] {
        var steps: [Step] = []
        if hasTimer { steps.append(.pause) }
        if sealing != nil { steps.append(.seal) }
        if !presses.isEmpty, !isStoring { steps.append(.prepare) }
        if reading != nil { steps.append(.read) }
        if !writes.isEmpty { steps.append(.commit) }
        if !answers.isEmpty { steps.append(.answer) }
        return steps
    }

    mutating func perform(_ step: Step) {
        switch step {
        case .type:
            budget.types -= 1
            last += 1
            field.append(last)
            tell(.typed)
        case .erase:
            budget.erasures -= 1
            durable.subtract(field)
            erased.formUnion(field)
            field = []
            tell(.typed)
        case .pause:
            hasTimer = false
            tell(.paused)
        case .leave:
            budget.leaves -= 1
            waiting += 1
            tell(.leaving)
        case .press:
            budget.presses -= 1
            presses.append(Press(text: field, spent: machine.taken))
            tell(.pressed)
        case .share:
            budget.shares -= 1
            let source = 200 + budget.shares
            field += others[source] ?? []
            tell(.joined([source]))
        case .signOut:
            budget.signOuts -= 1
            isSignedOut = true
            (own, others, memos, durable) = ([], [:], [], [])
            tell(.signedOut)
        case .end(let source, let isLate):
            budget.ends -= 1
            self.isLate = self.isLate || isLate
            tell(.ended(source))
        case .seal: seal()
        case .prepare:
            isStoring = true
            writes.append(.memo(presses[0]))
        case .read: read()
        case .commit: commit(isDone: !isSignedOut)
        case .answer: answer()
        case .sealFails:
            budget.failures -= 1
            sealing = nil
            savesUnderway -= 1
            tell(.saveFailed)
        case .prepareFails:
            budget.failures -= 1
            presses.removeFirst()
            tell(.notSent)
        case .commitFails:
            budget.failures -= 1
            commit(isDone: false)
        }
        check()
    }

    private mutating func seal() {
        let text = sealing ?? []
        let before = writes.count
        sealing = nil
        let effects = machine.handle(.ready)
        // Without a write this save is over.
        if case .write = effects.first {} else { savesUnderway -= 1 }
        for effect in effects { perform(effect, sealed: text) }
        if writes.count > before + 1 { violate("two writes") }
    }

    private mutating func read() {
        guard let source = reading else { return }
        reading = nil
        guard let text = others[source], !isSignedOut else { return tell(.gone) }
        restored += 1
        let isMerged = !field.isEmpty
        field += text
        tell(.restored(isMerged: isMerged))
    }

    private mutating func commit(isDone: Bool) {
        let write = writes.removeFirst()
        answers.append(Answer(write: write, isDone: isDone))
        guard isDone else { return }
        switch write {
        case .draft(let text, let spent):
            own = text
            for source in spent { others[source] = nil }
        case .memo(let press):
            own = []
            for source in press.spent { others[source] = nil }
            memos.append(press.text)
        }
    }

    private mutating func answer() {
        let answer = answers.removeFirst()
        switch answer.write {
        case .draft:
            savesUnderway -= 1
            tell(answer.isDone ? .saved : .saveFailed)
        case .memo(let press):
            isStoring = false
            presses.removeFirst()
            guard answer.isDone else { return tell(.notSent) }
            field.removeAll { press.text.contains($0) }
            for index in presses.indices {
                presses[index].text.removeAll { press.text.contains($0) }
            }
            tell(.sent(press.spent, isEmpty: field.isEmpty))
        }
    }

    // MARK: Effects

    private mutating func tell(_ event: Machine.Event) {
        for effect in machine.handle(event) { perform(effect, sealed: []) }
    }

    private mutating func perform(_ effect: Machine.Effect, sealed: [Int]) {
        switch effect {
        case .pause: hasTimer = true
        case .save:
            savesUnderway += 1
            if savesUnderway > 1 { violate("two saves at once") }
            sealing = field
        case .write(let spent): writes.append(.draft(sealed, spent: spent))
        case .tellNotSaved: break
        case .answer(let keeping):
            waiting = 0
            hasLost = keeping != .kept
            let isStored = durableNow.isSuperset(of: field)
            if keeping == .kept, !isStored { violate("kept, but not stored") }
        case .look:
            tell(.looked(isEmpty: field.isEmpty, waited: isLate ? 10_000 : 0))
        case .restore(let source):
            if reading != nil { violate("two restores at once") }
            reading = source
        case .release(let source):
            if machine.taken.contains(source) { violate("the lock of a text in the field is free") }
        }
    }

    // MARK: Guarantees

    private var durableNow: Set<Int> {
        Set(own + others.values.joined() + memos.joined())
    }

    private mutating func violate(_ what: String) {
        if violation == nil { violation = what }
    }

    private mutating func noteDurable() {
        durable.formUnion(durableNow.subtracting(erased))
    }

    private mutating func check() {
        let stored = own + others.values.joined() + memos.joined()
        if Set(stored).count < stored.count { violate("a text is stored twice: \(stored)") }
        if Set(field).count < field.count { violate("a text is in the field twice: \(field)") }
        if !durable.isSubset(of: stored) { violate("a stored text is lost") }
        if restored > 1 { violate("two drafts are restored") }
        noteDurable()
    }

    /// Lets everything under way end, and the composer's end be prepared.
    mutating func comeToRest() {
        while let step = pending.first { perform(step) }
        if !isSignedOut { perform(.leave) }
        while let step = pending.first { perform(step) }
        if savesUnderway > 0 || waiting > 0 { violate("something is never answered") }
        if isSignedOut { return }
        if hasLost { violate("the text is not kept although nothing fails") }
        let inRecords = own + machine.taken.flatMap { others[$0] ?? [] }
        if Set(inRecords) != Set(field) { violate("the draft is not the field's text") }
    }
}
