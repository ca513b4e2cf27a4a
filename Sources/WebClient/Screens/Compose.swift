import MemoCore
import MemoTexts
import OutboxCore
import StoreCore
import WireCore

/// Sends the text of the field.
final class Compose {
    /// The length of the text that is seen leaving the field.
    private static let ghostLength = 2000
    private static let ghostTime: Int64 = 250
    /// For subjects that show no day.
    private static let anyDay = CalendarDay(year: 1970, month: 1, day: 1)
    /// Microseconds in which resending again is taken for a double click.
    private static let doubleClick: Int64 = 1_000_000

    private let context: AppContext
    private let queue: QueueRepository
    private let drafts: Drafts
    private var isSending = false
    /// The requests to send that are not being stored yet.
    private var presses: [Press] = []
    private var resentAt: Int64?

    init(context: AppContext, drafts: Drafts) {
        self.context = context
        queue = QueueRepository(host: context.host, vault: context.vault)
        self.drafts = drafts
    }

    /// Seals the field's text, stores it in one transaction with its history entry and without the
    /// draft, and clears the field once the transaction is on the disk. Until then, and after any
    /// failure, the text stays. A request to send during that time is performed next, with the text
    /// that the field held then besides the leaving text.
    ///
    /// - Parameter text: The field's text; `nil` if it must be read.
    func send(_ text: [UInt8]? = nil) {
        let time = context.clock.microseconds
        if let text { return pressed(text, at: time) }
        // At once, while the browser still counts this as the person's doing: the keyboard stays.
        context.host.focus(.memo)
        context.host.readValue(of: .memo) { self.pressed($0, at: time) }
    }

    private func pressed(_ text: [UInt8], at time: Int64) {
        guard MemoRule.refusal(of: text) != .empty else {
            return context.change { $0.notices.edited() }
        }
        presses.append(Press(time: time, text: text, spent: drafts.pressed()))
        if !isSending { sendNext() }
    }

    private func sendNext() {
        isSending = !presses.isEmpty
        guard isSending else { return }
        let press = presses.removeFirst()
        context.whenOpen {
            self.prepare(press.text) { prepared in
                // An earlier press may have sent what this one saw.
                if case .empty = prepared {
                    self.drafts.kept()
                    return self.sendNext()
                }
                guard case .done(let memo) = prepared else { return self.failed(prepared) }
                self.queue.add(memo, spending: press.spent, thenTaking: press.text) {
                    switch $0 {
                    case .done(let reader): self.stored(press, reader)
                    case .failed(let name): self.failed(.failed(StorageFailure(name).text))
                    }
                }
            }
        }
    }

    private func failed(_ prepared: Prepared) {
        for _ in 0...presses.count { drafts.kept() }
        say(prepared)
        presses.removeAll()
        sendNext()
    }

    /// Sends a text that was sent before once more, as a memo of its own.
    ///
    /// - Parameters:
    ///   - old: The memo that did not arrive, whose status becomes `resent`.
    ///   - then: Gets whether the new memo is stored.
    func resend(
        _ text: [UInt8],
        replacing old: HistoryEntry,
        _ then: @escaping (Bool) -> Void
    ) {
        let now = context.clock.microseconds
        if let resentAt, now - resentAt < Self.doubleClick { return then(false) }
        resentAt = now
        prepare(text) { prepared in
            guard case .done(let memo) = prepared else {
                self.say(prepared)
                return then(false)
            }
            self.queue.add(memo, replacing: old) { answer in
                if case .failed(let name) = answer {
                    // Sent again by another page, or a button of its notification.
                    if !(name == "OvertakenError") { self.say(.failed(StorageFailure(name).text)) }
                    return then(false)
                }
                self.context.say(.resent)
                self.context.happened(.memoStored)
                then(true)
            }
        }
    }

    private enum Prepared {
        /// The memo to be stored.
        case done(SealedMemo)
        /// Why nothing can be stored.
        case failed(AppText)
        /// There is nothing to send.
        case empty
    }

    private func say(_ prepared: Prepared) {
        if case .failed(let failure) = prepared { context.say(failure, tone: .error) }
    }

    /// Seals a memo.
    private func prepare(_ text: [UInt8], _ then: @escaping (Prepared) -> Void) {
        let settings = context.store.state.settings
        let mailed = settings.mailed(text)
        switch MemoRule.refusal(of: text, signature: mailed.count - text.count) {
        case .tooLong: return then(.failed(.memoTooLong))
        case .containsNUL: return then(.failed(.memoContainsNUL))
        case .empty: return then(.empty)
        case nil: break
        }
        let now = context.clock.now
        let id = context.clock.makeID()
        subject(of: text, id) { subject in
            let body = RelayRequest.memoBody(text: mailed, subject: subject)
            let memo = SealBinding(id: id, kind: .memo, createdAt: now)
            self.context.vault.seal([PlainRecord(binding: memo, bytes: body)]) { sealed in
                switch sealed {
                case .failed(let failure): then(.failed(failure.text))
                case .done(let bodies):
                    then(
                        .done(
                            SealedMemo(
                                id: id,
                                createdAt: now,
                                request: bodies[0],
                                length: text.count
                            )
                        )
                    )
                }
            }
        }
    }

    /// The memo is on the disk. The host has emptied the field, unless something else stands in it
    /// by now: that stays.
    private func stored(_ press: Press, _ answer: BorderReader) {
        var rest: [UInt8] = []
        if answer.number() == 0 {
            rest = press.rest(of: answer.block())
            context.host.setValue(rest, of: .memo)
            context.host.focus(.memo)
        }
        for index in presses.indices { presses[index].text = press.rest(of: presses[index].text) }
        showLeaving(press.text)
        drafts.sent(press.spent, rest: rest)
        let taken = context.clock.microseconds - press.time
        context.change { state in
            state.timings.add(taken, to: .sendToReset)
            state.notices.end(.answer)
            state.notices.say(Notice(answerTo: state))
        }
        context.happened(.memoStored)
        sendNext()
    }

    private func showLeaving(_ text: [UInt8]) {
        context.host.setText(start(of: text, longest: Self.ghostLength), of: Element(.ghost))
        context.host.setClass(.isLeaving, true, of: Element(.ghost))
        context.host.setTimer(.ghost, Self.ghostTime)
    }

    /// Removes the text that was seen leaving.
    func clearLeaving() {
        context.host.setClass(.isLeaving, false, of: Element(.ghost))
        context.host.setText([], of: Element(.ghost))
    }

    // MARK: Subject

    /// Asks the browser for facts that the rule needs and only it knows: the local day, and where
    /// characters end.
    private func subject(
        of text: [UInt8],
        _ id: OperationID,
        _ then: @escaping ([UInt8]) -> Void
    ) {
        let rule = context.store.state.settings.subjectRule
        guard rule.template.showsDay else { return subject(of: text, id, rule, Self.anyDay, then) }
        context.host.readDay { self.subject(of: text, id, rule, $0, then) }
    }

    private func subject(
        of text: [UInt8],
        _ id: OperationID,
        _ rule: SubjectRule,
        _ day: CalendarDay,
        _ then: @escaping ([UInt8]) -> Void
    ) {
        var line: [UInt8]?
        let subject = rule.subject(of: text, day: day, id: id) {
            line = $0
            return [$0.count]
        }
        guard let line else { return then(subject) }
        context.host.readCharacterEnds(of: line) { ends in
            then(rule.subject(of: text, day: day, id: id) { _ in ends })
        }
    }
}

extension Notice {
    /// The answer to a person who has sent a memo. A memo that waits for the person is a fact, which
    /// ends when the person has signed in or nothing waits.
    fileprivate init(answerTo state: AppState) {
        // Everything else stands behind the answer, as facts.
        let answer = SendAnswer(
            account: state.account.standing,
            way: state.way,
            backlog: state.backlog,
            hasUnseenFailure: false
        )
        self =
            answer.prospect.needsSignIn
            ? Notice(
                text: answer.prospect.text,
                tone: .warning,
                action: .signIn,
                cause: .unsent
            ) : Notice(text: answer.prospect.text)
    }
}

/// A time at which sending was asked for.
private struct Press {
    /// In microseconds of a clock that is never set.
    let time: Int64
    var text: [UInt8]
    /// The drafts of the text.
    let spent: SpentDrafts

    /// The part of a field's value that stays when this text has left.
    func rest(of value: [UInt8]) -> [UInt8] {
        value == text ? [] : Remainder.of(value, sent: text)
    }
}

/// The first `longest` bytes at most, without a part of a character's code at the end.
func start(of text: [UInt8], longest: Int) -> [UInt8] {
    guard text.count > longest else { return text }
    var end = longest
    while end > 0, text[end] & 0xC0 == 0x80 { end -= 1 }
    return Array(text[..<end])
}

extension Timings {
    mutating func add(_ microseconds: Int64, to kind: TimingKind) {
        switch kind {
        case .timeToText: timeToText = Array(([microseconds] + timeToText).prefix(Self.kept))
        case .sendToReset: sendToReset = Array(([microseconds] + sendToReset).prefix(Self.kept))
        }
    }
}
