import EditLine
import LibC
import MemoCore
import MemoKit
public import MemoProcesses
import MemoTexts
import OutboxCore

/// Composing as a whole command.
public enum Compose {
    /// Composes on the terminal.
    ///
    /// - Parameter clock: Knows when the process started.
    /// - Returns: How the command ends. A signal ends the process right here.
    public static func run(clock: TerminalClock) -> ExitStatus {
        // Output that goes elsewhere is no reason not to write: the other end may be a terminal.
        guard let output = [STDOUT_FILENO, STDERR_FILENO].first(where: { isatty($0) != 0 }) else {
            StandardError.complain(Language.ofThisProcess.string(.needsTerminal))
            return .usage
        }
        let composer = Composer(output: output, clock: clock) {
            @Sendable () throws(MemoError) in
            try MemoBox(folder: DataFolder.current())
        }
        switch composer.run() {
        case .left: return composer.loss?.exitStatus ?? .success
        case .terminalLost:
            guard let loss = composer.loss else { return .success }
            // Standard error may be elsewhere.
            StandardError.complain(Composer.lossNotice(loss, in: .ofThisProcess))
            return loss.exitStatus
        case .signal(let number): ComposerSignals.die(of: number)
        }
    }
}

/// Writes memos in a terminal: one text, Ctrl-D sends it and empties the field for the next.
///
/// libedit edits and draws. The draft is saved sealed whenever typing pauses, and at leaving,
/// whatever the reason for leaving; where it cannot be, Ctrl-C says so and stays the first time. A
/// memo is stored before the field is emptied; if it cannot be stored, the text stays and the reason
/// is shown.
///
/// Not thread-safe; one composer per process, because it owns the terminal and the signals.
final class Composer {
    /// How a compose ended.
    enum End: Equatable, Sendable {
        /// The person left.
        case left
        /// The terminal went away.
        case terminalLost
        /// A signal ended it.
        case signal(Int32)
    }

    /// Why the text is lost, once the compose has ended; `nil` when nothing is lost.
    private(set) var loss: MemoError?

    private let output: Int32
    private let openBox: @Sendable () throws(MemoError) -> MemoBox
    private let clock: TerminalClock
    private let language: Language

    private var screen: ComposeScreen!
    private var input: ComposeInput!
    private var draft = ComposeDraft()
    private var box: MemoBox?
    /// The opening of the box, until its outcome is in the field.
    private var opening: BoxOpening?
    /// A key that waits for the box.
    private var held: KeyReader.Key?
    /// The keys that libedit is given before another one is read.
    private var queue: [Int32] = []
    /// The characters that the next `insert` command inserts.
    private var pending: [UInt32] = []
    /// The text that Ctrl-X took out of the field, until something else is deleted.
    private var emptied: [UInt32]?
    private var hasBegun = false
    private var mayNeedSettling = false
    private var hasShownAccountNotice = false
    private var hasShownAgentFailure = false
    private var hasShownFailures = false
    /// Microseconds from the start to a field that takes typing, until the box has taken it down.
    private var timeToText: Int64?
    private var end: End = .left

    /// Makes a composer that has not begun.
    ///
    /// - Parameters:
    ///   - output: The terminal to draw on.
    ///   - clock: Knows when the process started.
    ///   - language: The language of hints and errors.
    ///   - openBox: Opens the box. Called on a thread of its own once the field is there, again at the
    ///     next send if it failed.
    init(
        output: Int32,
        clock: TerminalClock,
        language: Language = .ofThisProcess,
        openBox: @escaping @Sendable () throws(MemoError) -> MemoBox
    ) {
        self.output = output
        self.clock = clock
        self.language = language
        self.openBox = openBox
    }

    /// Composes until the person leaves. Runs once.
    func run() -> End {
        _ = editline_use_utf8()
        input = ComposeInput(terminal: STDIN_FILENO)
        guard let screen = ComposeScreen(input: STDIN_FILENO, output: output, hooks: hooks) else {
            return .terminalLost
        }
        self.screen = screen
        screen.show(language.string(.composeHint))
        screen.run()
        finish()
        return end
    }

    /// The sentence that says that the text could not be kept.
    static func lossNotice(_ error: MemoError, in language: Language) -> String {
        language.string(.draftLost, error.sentence(in: language))
    }

    private var hooks: editline_hooks {
        editline_hooks(
            context: Unmanaged.passUnretained(self).toOpaque(),
            read: { context, key in
                guard let next = composer(context).nextKey() else { return -1 }
                key!.pointee = next
                return 1
            },
            perform: { context, number in composer(context).perform(number) },
            write: { context, bytes, count in
                let bytes = UnsafeRawBufferPointer(start: bytes, count: count)
                composer(context).screen?.draw(bytes)
            }
        )
    }

    private func finish() {
        concludeOpening()
        let isEmpty = screen.wholeText.isEmpty
        _ = draft.leave(screen.wholeText, in: openedBox)
        if !isEmpty { loss = draft.failure }
        if end != .terminalLost {
            screen.leave()
            if let loss {
                screen.showBright(Self.lossNotice(loss, in: language))
            } else if !isEmpty {
                screen.show(language.string(.draftKept))
            }
        }
        try? box?.flushTimings()
        screen.close()
    }

    /// The box, opened when it is not open yet.
    private func openedBox() throws(MemoError) -> MemoBox {
        if let box { return box }
        let opened = try openBox()
        box = opened
        return opened
    }

    // MARK: Keys

    /// The next key for libedit; `nil` to end.
    private func nextKey() -> Int32? {
        while true {
            if !queue.isEmpty { return queue.removeFirst() }
            screen.update()
            if !hasBegun {
                begin()
                continue
            }
            if mayNeedSettling {
                mayNeedSettling = false
                if screen.text.needsSettling { return ComposerCommand.settle.key }
            }
            if let key = held ?? input.nextKey() {
                held = nil
                if opening != nil, needsBox(key) {
                    held = key
                    concludeOpening()
                    // A person who leaves at once still learns what did not arrive.
                    noteReady()
                } else {
                    take(key)
                }
                continue
            }
            noteReady()
            guard !screen.hasNotice else { continue }
            guard wait() else { return nil }
        }
    }

    /// Begins to open the box, once the field is there.
    private func begin() {
        hasBegun = true
        let opening = BoxOpening(openBox)
        self.opening = opening
        if opening.ended < 0 { concludeOpening() }
    }

    /// Waits for the box, and puts the draft of an interrupted compose before the typed text.
    private func concludeOpening() {
        guard let opening else { return }
        self.opening = nil
        let outcome = opening.outcome()
        box = outcome.box
        do {
            let isMerged = !screen.text.isEmpty
            guard let text = try draft.restore(outcome.draft, isMerged: isMerged) else { return }
            screen.restore(text.unicodeScalars.map(\.value))
        } catch {
            announceAbove(error.sentence(in: language))
        }
    }

    /// Whether a key's command stores the text, or needs to know whether it can be stored.
    private func needsBox(_ key: KeyReader.Key) -> Bool {
        let commands = ComposerCommand.keys(for: key)
        return commands == [ComposerCommand.send.key] || commands == [ComposerCommand.leave.key]
    }

    private func take(_ key: KeyReader.Key) {
        switch key {
        case .text(let scalars), .paste(let scalars):
            guard !scalars.isEmpty else { return }
            pending = scalars
        case .control(0x04, alt: false): clock.beginSend()
        // Ctrl-K, Ctrl-U, Ctrl-W: from now on Ctrl-Y brings back what they delete.
        case .control(0x0B, alt: false), .control(0x15, alt: false), .control(0x17, alt: false):
            emptied = nil
        default: break
        }
        var commands = ComposerCommand.keys(for: key)
        if emptied != nil, key == .control(0x19, alt: false) {
            commands = [ComposerCommand.bringBack.key]
        }
        if commands != [ComposerCommand.leave.key] { draft.typed() }
        queue += commands
        mayNeedSettling = true
    }

    /// Notes the time at which the field took typing, first after the start, then after each send.
    private func noteReady() {
        screen.askForBrackets()
        timeToText = clock.takeTimeToReady() ?? timeToText
        guard let box else { return }
        if let microseconds = timeToText {
            timeToText = nil
            box.recordTiming(.timeToText, microseconds: microseconds)
            // The field takes typing, so that nobody waits for this.
            let summons = box.summonAgentForRest()
            if let damage = try? box.damage(checkingUpTo: 0).first {
                announceAbove(damage.sentence(in: language))
            } else if let failure = takeAgentFailure(of: box, after: summons) {
                announceAbove(language.string(.agentFailed, failure))
            } else if let failures = takeFailures(of: box) {
                announceAbove(failures)
            } else if box.warnsOfWaiting() {
                announceAbove(language.string(CommandText.waitingLong))
            }
        }
        if let microseconds = clock.takeTimeOfSend() {
            box.recordTiming(.sendToReset, microseconds: microseconds)
        }
    }

    /// Waits for input, a signal, or a pause in typing.
    ///
    /// - Returns: `false` to end.
    private func wait() -> Bool {
        // A text is saved once the draft before it is known.
        let pause = opening == nil ? draft.pause : -1
        switch input.wait(pause: pause, orReadable: opening?.ended ?? -1) {
        case .keys, .nothing: return true
        case .readable:
            concludeOpening()
            return true
        case .pause:
            if let failure = draft.paused(screen.text.string, in: openedBox) {
                let reason = failure.sentence(in: language)
                announceAbove(language.string(CommandText.draftNotSaved, reason))
            }
            return true
        case .signals(let numbers): return handle(numbers)
        case .terminalLost:
            end = .terminalLost
            return false
        }
    }

    private func handle(_ signals: Set<Int32>) -> Bool {
        if let ending = ComposerSignals.ending.first(where: signals.contains) {
            end = .signal(ending)
            return false
        }
        if signals.contains(SIGCONT) {
            screen.resume()
        } else if signals.contains(SIGWINCH) {
            screen.resize()
        }
        return true
    }

    /// Shows a notice above whatever text there is.
    private func announceAbove(_ notice: String) {
        screen.announce(notice)
        screen.setTextAside()
    }

    // MARK: Commands

    private func perform(_ number: Int32) -> Int32 {
        guard let command = ComposerCommand(rawValue: number) else { return outcome(false) }
        switch command {
        case .insert:
            let scalars = pending
            pending = []
            return outcome(screen.text.insert(scalars))
        case .send: return sendMemo()
        case .leave: return leave()
        case .suspend:
            screen.suspend()
            return Int32(EDITLINE_DONE)
        case .settle: return outcome(screen.text.settle())
        case .left: return outcome(screen.text.moveByCharacter(-1))
        case .right: return outcome(screen.text.moveByCharacter(1))
        case .up: return outcome(screen.text.moveByRows(-1))
        case .down: return outcome(screen.text.moveByRows(1))
        case .pageUp: return outcome(screen.text.moveByRows(-max(1, screen.text.rows / 2)))
        case .pageDown: return outcome(screen.text.moveByRows(max(1, screen.text.rows / 2)))
        case .lineStart: return outcome(screen.text.moveToLineStart())
        case .lineEnd: return outcome(screen.text.moveToLineEnd())
        case .textStart: return outcome(screen.text.moveToStart())
        case .textEnd: return outcome(screen.text.moveToEnd())
        case .deleteBack: return outcome(screen.text.delete(-1))
        case .deleteForward: return outcome(screen.text.delete(1))
        case .killToLineEnd: return outcome(screen.text.kill(toEnd: true))
        case .killToLineStart: return outcome(screen.text.kill(toEnd: false))
        case .empty: return empty()
        case .bringBack:
            let scalars = emptied ?? []
            emptied = nil
            return outcome(screen.text.insert(scalars))
        case .showKeys:
            announceAbove(language.string(.composeKeys))
            return outcome(true)
        }
    }

    /// Takes the whole text out of the field, until Ctrl-Y.
    private func empty() -> Int32 {
        let scalars = screen.text.scalars
        guard !scalars.isEmpty else { return outcome(false) }
        emptied = scalars
        announceAbove(language.string(.fieldEmptied))
        screen.forgetTextAside()
        return outcome(true)
    }

    private func outcome(_ isDone: Bool) -> Int32 {
        Int32(isDone ? EDITLINE_REFRESH : EDITLINE_BEEP)
    }

    /// Leaves; when that would lose the text, says so the first time, and stays.
    private func leave() -> Int32 {
        let keeping = draft.leave(screen.text.string, in: openedBox)
        if keeping == .lost, !screen.text.isEmpty, let failure = draft.failure {
            announceAbove(language.string(.draftLossAhead, failure.sentence(in: language)))
            return outcome(true)
        }
        end = .left
        return Int32(EDITLINE_FINISH)
    }

    /// Stores the memo, then empties the field; or shows why not, and keeps the text.
    private func sendMemo() -> Int32 {
        guard !screen.text.isEmpty else {
            end = .left
            clock.abandonSend()
            return Int32(EDITLINE_FINISH)
        }
        do {
            let box = try openedBox()
            var id: OperationID?
            try draft.send { () throws(MemoError) in id = try box.send(screen.text.string) }
            screen.text.removeAll()
            if let id { summonAgent(of: box, for: id) }
        } catch {
            clock.abandonSend()
            announceAbove(language.string(.notSent, error.sentence(in: language)))
        }
        return outcome(true)
    }

    /// The failure of the agent, once in a compose; `nil` for none, or when it was shown.
    private func takeAgentFailure(of box: MemoBox, after summons: Summons?) -> String? {
        guard !hasShownAgentFailure, let failure = box.agentFailure(after: summons) else {
            return nil
        }
        hasShownAgentFailure = true
        return failure
    }

    /// The sentence about memos that did not arrive, once in a compose; `nil` for none.
    private func takeFailures(of box: MemoBox) -> String? {
        guard !hasShownFailures, let number = try? box.unseenFailures(), number > 0 else {
            return nil
        }
        hasShownFailures = true
        return MemoError.memosNotArrived(number).sentence(in: language)
    }

    /// Has the memo delivered. Says once in a compose what keeps memos from leaving, or what happened
    /// to earlier ones: the empty field is the answer to a send.
    private func summonAgent(of box: MemoBox, for id: OperationID) {
        do {
            let summons = try box.summonAgent()
            let prospect = try box.sendAnswer(to: id, after: summons).prospect
            if prospect.needsSignIn, !hasShownAccountNotice {
                hasShownAccountNotice = true
                screen.announce(prospect.sentence(in: language))
            } else if let failure = takeAgentFailure(of: box, after: summons) {
                screen.announce(language.string(.agentFailed, failure))
            } else if let failures = takeFailures(of: box) {
                screen.announce(failures)
            }
        } catch {
            screen.announce(language.string(.savedNotLeaving, error.sentence(in: language)))
        }
    }
}

private func composer(_ context: UnsafeMutableRawPointer?) -> Composer {
    guard let context else { preconditionFailure("libedit lost its context") }
    return Unmanaged<Composer>.fromOpaque(context).takeUnretainedValue()
}
