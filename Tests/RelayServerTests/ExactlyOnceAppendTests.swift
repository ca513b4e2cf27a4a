import OutboxCore
import Testing

@testable import RelayServer

/// The order of commands of one mail, against every folder that loses answers, finishes appends late,
/// refuses commands and is left by killed relays, with a bounded number of these events.
@Suite("A mail is in a mailbox exactly once")
struct ExactlyOnceAppendTests {
    @Test("whatever is lost, late, refused or killed, up to three events", .timeLimit(.minutes(60)))
    func everyCourse() {
        var choices = Choices()
        var courses = 0
        var settled = 0
        repeat {
            choices.begin()
            let course = MailCourse(choices: choices, events: 3)
            course.run()
            choices = course.choices
            courses += 1
            if course.hasSettled { settled += 1 }
            if let fault = course.fault {
                Issue.record("\(fault), by the choices \(choices.taken)")
                return
            }
        } while choices.next()
        // Else the folder could not do what it is here for.
        #expect(courses > 10_000)
        #expect(settled > 1_000)
    }

    @Test("a look leaves a single copy alone, and appends nothing where there is none")
    func lookOnly() {
        for look in 1...AppendHistory.looks {
            for copies in [[], [7]] as [[MailboxCopy]] {
                let folder = ScriptedFolder(copies: copies)
                let outcome = ExactlyOnceAppend(
                    commands: folder,
                    earlier: EarlierSearches(),
                    messageID: "m",
                    history: .settling(look: look),
                    mayHaveBeenTried: true,
                    firstWait: .seconds(60)
                ).run()
                let next = AppendHistory.settling(look: look + 1).reason.map {
                    MailOutcome.settling($0, after: .seconds(60 << look))
                }
                #expect(outcome == (look == AppendHistory.looks ? .accepted : next))
                #expect(folder.copies == copies)
            }
        }
    }

    @Test("a mail that was appended once is handed over without looks")
    func undisturbed() {
        let folder = ScriptedFolder(copies: [])
        let append = ExactlyOnceAppend(
            commands: folder,
            earlier: EarlierSearches(),
            messageID: "m",
            history: .none,
            mayHaveBeenTried: false,
            firstWait: .seconds(60)
        )
        #expect(append.run() == .accepted)
        #expect(folder.copies == [1])
    }

    @Test("a history survives in a reason", arguments: 1...AppendHistory.looks)
    func reasons(look: Int) {
        for history in [
            AppendHistory.none, .unanswered, .severalUnanswered, .settling(look: look),
        ] {
            #expect(AppendHistory(history.reason) == history)
            #expect(history.reason?.isPlain ?? true)
        }
        #expect(AppendHistory("imap.settling.99") == .settling(look: AppendHistory.looks))
        #expect(AppendHistory("imap.quota") == .none)
    }
}

/// All sequences of choices, one after the other.
private struct Choices {
    private(set) var taken: [Int] = []
    private var options: [Int] = []
    private var position = 0

    mutating func begin() { position = 0 }

    mutating func choose(_ count: Int) -> Int {
        if position == taken.count {
            taken.append(0)
            options.append(count)
        }
        defer { position += 1 }
        return taken[position]
    }

    /// - Returns: Whether there is another sequence.
    mutating func next() -> Bool {
        while let last = taken.popLast(), let count = options.popLast() {
            guard last + 1 == count else {
                taken.append(last + 1)
                options.append(count)
                return true
            }
        }
        return false
    }
}

/// A folder that does as it is told.
private final class ScriptedFolder: MailboxCommands {
    private(set) var copies: [MailboxCopy]

    init(copies: [MailboxCopy]) { self.copies = copies }

    func search(from first: MailboxCopy) -> FolderSearch {
        FolderSearch(copies: copies.filter { $0 >= first }, view: nil)
    }
    func append() -> MailboxCopy? {
        copies.append(1)
        return 1
    }
    func markUnread(_ copy: MailboxCopy) {}
    func remove(_ removed: [MailboxCopy]) { copies.removeAll { removed.contains($0) } }
}

/// One mail's course through the queue into a folder, over attempts, relays and events that are
/// chosen.
private final class MailCourse: MailboxCommands {
    private(set) var choices: Choices
    private var eventsLeft: Int
    /// The copies and whether each is read.
    private var copies: [(copy: MailboxCopy, isRead: Bool)] = []
    private var latest: MailboxCopy = 0
    /// Appends whose connection is gone, and that the server still executes.
    private var running = 0
    private var isKilled = false
    /// What the searches of the relay that runs have shown.
    private var earlier = EarlierSearches()
    private(set) var hasSettled = false
    /// What was wrong at the end; `nil` for nothing.
    private(set) var fault: String?

    init(choices: Choices, events: Int) {
        self.choices = choices
        eventsLeft = events
    }

    func run() {
        var lastFailure: ReasonCode?
        var isTold = true
        for _ in 0..<40 {
            let history = AppendHistory(lastFailure)
            // A server that is left alone ends within the time of the looks.
            if history == .settling(look: AppendHistory.looks) { landAll() }
            isKilled = false
            let outcome = ExactlyOnceAppend(
                commands: self,
                earlier: earlier,
                messageID: "m",
                history: history,
                mayHaveBeenTried: !isTold,
                firstWait: .seconds(60)
            ).run()
            if isKilled {
                isTold = false
                earlier = EarlierSearches()
                continue
            }
            switch outcome {
            case .accepted:
                landAll()
                return judge()
            case .tryLater(let reason): if history == .none { lastFailure = reason }
            case .unknown(let reason): lastFailure = reason
            case .settling(let reason, _):
                hasSettled = true
                lastFailure = reason
            case .refused: fault = "a mail was refused"
            }
        }
        fault = "the mail was never handed over"
    }

    private func judge() {
        if copies.count != 1 { fault = "\(copies.count) copies" }
        if copies.contains(where: \.isRead) { fault = "a copy that counts as read" }
    }

    private func landAll() {
        while running > 0 { land() }
    }

    private func land() {
        running -= 1
        store()
    }

    private func store() {
        latest += 1
        copies.append((latest, true))
    }

    private enum Event { case none, refused, lost, killedBefore, killedAfter }

    /// Something that happens at a command.
    private func event() throws(MailboxFailure) -> Event {
        guard !isKilled else { throw .failed("killed") }
        if running > 0, choices.choose(2) == 1 { land() }
        guard eventsLeft > 0 else { return .none }
        let chosen = [Event.none, .refused, .lost, .killedBefore, .killedAfter][choices.choose(5)]
        if chosen != .none { eventsLeft -= 1 }
        return chosen
    }

    /// A command with an effect that is whole or none.
    private func perform<Result>(
        _ effect: () -> Result
    ) throws(MailboxFailure) -> Result {
        switch try event() {
        case .none: return effect()
        case .refused: throw .failed("imap.command")
        case .lost:
            _ = effect()
            throw .failed("imap.connection")
        case .killedBefore: isKilled = true
        case .killedAfter:
            _ = effect()
            isKilled = true
        }
        throw .failed("killed")
    }

    func search(from first: MailboxCopy) throws(MailboxFailure) -> FolderSearch {
        try perform {
            FolderSearch(
                copies: copies.map(\.copy).filter { $0 >= first },
                view: FolderView(validity: 1, reached: latest)
            )
        }
    }

    func append() throws(MailboxFailure) -> MailboxCopy? {
        switch try event() {
        case .none:
            store()
            return choices.choose(2) == 0 ? latest : nil
        case .refused: throw .failed("imap.append")
        case .lost: break
        case .killedBefore:
            isKilled = true
            throw .failed("killed")
        case .killedAfter: isKilled = true
        }
        // The connection is gone: the server has it, will have it, or never gets all of it.
        switch choices.choose(3) {
        case 0: store()
        case 1: running += 1
        default: break
        }
        throw .unanswered
    }

    func markUnread(_ copy: MailboxCopy) throws(MailboxFailure) {
        try perform {
            copies = copies.map { $0.copy == copy ? ($0.copy, false) : $0 }
        }
    }

    func remove(_ removed: [MailboxCopy]) throws(MailboxFailure) {
        guard !removed.isEmpty else { return }
        try perform { copies.removeAll { removed.contains($0.copy) } }
    }
}
