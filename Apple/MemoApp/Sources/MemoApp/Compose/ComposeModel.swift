import MemoCore
import MemoDoors
import MemoKit
import MemoTexts
import OutboxCore
import Store

/// Composing without a screen: ``MemoCore/DraftMachine`` has the rules of the draft, the box stores
/// draft and memo, and the state is what a screen shows.
///
/// Each use of the box waits for those before it. So a send is stored after the save that was under
/// way, and its transaction deletes what that save has written.
@MainActor
final class ComposeModel {
    /// The one record that a box reads and writes.
    private enum Source: Hashable, Sendable { case box }

    /// How long an answer stays, in milliseconds.
    static let answerTime: Int64 = 5000

    let store: Store<ComposeState>
    private let box: BoxQueue
    private let composer: ComposerID
    private let note: WindowNote
    private let clock: AppClock
    private let start: Int64
    private let memoStored: @MainActor (OperationID) -> Void
    private var machine = DraftMachine<Source>()
    /// The field's text.
    private(set) var text = ""
    private var isReady = false
    /// Called when the draft is saved, or cannot be.
    private var ready: [@MainActor () -> Void] = []
    /// Counts the notices, so that time ends the right one.
    private var notices = 0
    /// How many memos had failed when that was looked for last.
    private var failures = 0

    /// - Parameters:
    ///   - note: Remembers the window's draft.
    ///   - start: The time at which the app started, on the clock.
    ///   - memoStored: Delivers. Called once a memo is on the disk and the field is empty.
    init(
        box: BoxQueue,
        note: WindowNote,
        language: Language,
        clock: AppClock,
        start: Int64,
        memoStored: @escaping @MainActor (OperationID) -> Void
    ) {
        store = Store(ComposeState(language: language))
        self.box = box
        self.note = note
        composer = box.makeComposer()
        self.clock = clock
        self.start = start
        self.memoStored = memoStored
    }

    // MARK: Events

    /// The app speaks another language. The field's text is the person's, and stays.
    func speak(_ language: Language) {
        store.commit { $0.language = language }
    }

    /// The network has come or gone.
    func network(isConnected: Bool) {
        store.commit { $0.isOffline = !isConnected }
    }

    /// Opens the box and restores the draft. The field takes typing meanwhile: a draft that comes
    /// later is put behind the typed text.
    func begin() {
        perform(machine.handle(.ended(.box)))
    }

    /// The field has the keyboard.
    func fieldIsReady() {
        guard !isReady else { return }
        isReady = true
        record(.timeToText, since: start)
    }

    /// The screen is in front: a memo that has waited for long is told of, once.
    func cameToFront() {
        let now = clock.wallTime()
        box.later { box throws(MemoError) in
            box.warnsOfWaiting(now: now)
        } then: { [weak self] warns in
            if case .success(true) = warns { self?.say(.waiting) }
        }
    }

    /// A memo may have failed to arrive: the person is told below the field, once for each number of them, until
    /// the history was opened.
    func lookForFailures() {
        box.later { box throws(MemoError) in
            try box.unseenFailures()
        } then: { [weak self] failures in
            guard let self, case .success(let failures) = failures else { return }
            guard failures > self.failures else {
                self.failures = failures
                return
            }
            // A sentence that has to be read stays: this one comes later.
            guard store.state.notice?.isTimed != false else { return }
            self.failures = failures
            say(.notArrived)
        }
    }

    /// The person has changed the field.
    func edited(_ text: String) {
        self.text = text
        store.commit { state in
            state.note(text)
            if state.notice?.isTimed == false { state.notice = nil }
        }
        perform(machine.handle(.typed))
    }

    /// The app may be about to end.
    ///
    /// - Parameter ready: Called once the draft is saved, or cannot be.
    func leaving(_ ready: @escaping @MainActor () -> Void) {
        self.ready.append(ready)
        perform(machine.handle(.leaving))
    }

    /// The window is closed. Its draft, which was saved when the window left the screen, is free for
    /// the next window.
    func ended() {
        box.later { [composer] box throws(MemoError) in
            box.endComposer(composer)
        } then: { _ in
        }
    }

    /// Stores the field's text as a memo; then empties the field; then has it delivered. If it cannot
    /// be stored, the text stays, and a sentence says why. A text without a visible character is no
    /// memo: nothing happens.
    func send() {
        let pressed = clock.microseconds()
        let text = text
        guard MemoRule.refusal(of: Array(text.utf8)) != .empty else { return }
        perform(machine.handle(.pressed))
        let id: OperationID
        do throws(MemoError) {
            id = try box.now { box throws(MemoError) in try box.send(text, of: composer) }
        } catch {
            say(.notSent(AppText(notSent: error)))
            return perform(machine.handle(.notSent))
        }
        self.text = ""
        note.draft = nil
        store.commit { state in
            state.place("")
            state.sent += 1
            state.notice = nil
        }
        perform(machine.handle(.sent(machine.taken, isEmpty: true)))
        record(.sendToReset, since: pressed)
        memoStored(id)
        box.later { box throws(MemoError) in
            SendAnswer(
                account: try box.accountStanding(),
                way: .open,
                backlog: .none,
                hasUnseenFailure: try box.unseenFailures() > 0
            )
        } then: { [weak self] answer in
            // Without an answer, only this is known: the memo is stored.
            let prospect = (try? answer.get())?.prospect ?? .kept
            self?.say(.answer(prospect.text))
        }
    }

    // MARK: Effects

    private func perform(_ effects: [DraftMachine<Source>.Effect]) {
        for effect in effects {
            switch effect {
            case .pause:
                clock.after(DraftMachine<Source>.pause) { [weak self] in
                    guard let self else { return }
                    perform(machine.handle(.paused))
                }
            case .save: perform(machine.handle(.ready))
            case .write: save(text)
            case .look:
                let waited = (clock.microseconds() - start) / 1000
                perform(machine.handle(.looked(isEmpty: text.isEmpty, waited: waited)))
            case .restore: restore()
            case .answer:
                let ready = ready
                self.ready.removeAll()
                for body in ready { body() }
            // ``save(_:)`` has told why.
            case .tellNotSaved, .release: break
            }
        }
    }

    private func save(_ text: String) {
        box.later { [composer] box throws(MemoError) in
            try box.saveDraft(text, of: composer)
            return box.draftNumber(of: composer)
        } then: { [weak self, note] result in
            // A send may have come between.
            let isKept = (self?.text ?? text).isEmpty == false
            if case .success(let number) = result { note.draft = isKept ? number : nil }
            guard let self else { return }
            switch result {
            case .success: perform(machine.handle(.saved))
            case .failure(let error):
                let effects = machine.handle(.saveFailed)
                if effects.contains(.tellNotSaved) { say(.draftNotSaved(error)) }
                perform(effects)
            }
        }
    }

    private func restore() {
        let (noted, others) = (note.draft, note.draftsOfOthers)
        box.later { [composer] box throws(MemoError) in
            let text = try box.draft(of: composer, preferring: noted, sparing: others)
            return text.map { (text: $0, number: box.draftNumber(of: composer)) }
        } then: { [weak self] result in
            guard let self else { return }
            switch result {
            case .success(nil): perform(machine.handle(.gone))
            case .success(let draft?):
                note.draft = draft.number
                place(draft.text)
            case .failure(let error):
                say(.notRead(error))
                perform(machine.handle(.gone))
            }
        }
    }

    private func place(_ draft: String) {
        let isMerged = !text.isEmpty
        let joined = DraftMachine<Source>.joined(Array(text.utf8), Array(draft.utf8))
        text = String(decoding: joined, as: UTF8.self)
        store.commit { [text] state in state.place(text) }
        perform(machine.handle(.restored(isMerged: isMerged)))
    }

    private func say(_ notice: ComposeNotice) {
        notices += 1
        store.commit { $0.notice = notice }
        guard notice.isTimed else { return }
        let number = notices
        clock.after(Self.answerTime) { [weak self] in
            guard let self, number == notices else { return }
            store.commit { $0.notice = nil }
        }
    }

    /// Notes a measurement, which the next send writes.
    private func record(_ kind: TimingKind, since begin: Int64) {
        let microseconds = clock.microseconds() - begin
        box.later { box throws(MemoError) in
            box.recordTiming(kind, microseconds: microseconds)
        } then: { _ in
        }
    }
}

extension ComposeState {
    /// Notes what the field holds.
    fileprivate mutating func note(_ text: String) {
        isFieldEmpty = text.isEmpty
        canSend = MemoRule.refusal(of: Array(text.utf8)) != .empty
    }

    /// Puts a text into the field.
    fileprivate mutating func place(_ text: String) {
        placed = Placed(number: placed.number + 1, text: text)
        note(text)
    }
}
