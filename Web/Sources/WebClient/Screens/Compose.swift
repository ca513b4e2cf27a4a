import MemoCore
import OutboxCore
import StoreCore

/// Sending what the field holds.
final class Compose {
    /// The longest memo, in bytes of UTF-8.
    static let longest = 1 << 20
    /// How much of what left is seen leaving.
    private static let ghostLength = 2000
    private static let ghostTime: Int64 = 250
    /// Microseconds in which resending again is taken for a double click.
    private static let doubleClick: Int64 = 1_000_000

    private let desk: Desk
    private let drafts: Drafts
    private var isSending = false
    /// When sending was asked for again before the memo before was stored.
    private var pressedAgain: Int64?
    private var resentAt: Int64?

    /// Called when a memo is stored.
    var enqueued: () -> Void = {}

    init(desk: Desk, drafts: Drafts) {
        self.desk = desk
        self.drafts = drafts
    }

    /// Seals what the field holds, stores it in one transaction with its history entry and without
    /// the draft, and clears the field when that is on the disk. Until then, and whenever it fails,
    /// the text stays. What stands in the field when this is asked for meanwhile is sent next.
    func send() {
        let pressed = desk.clock.microseconds
        // At once, while the browser still counts this as the person's doing: the keyboard stays.
        desk.host.focus(.memo)
        guard !isSending else {
            pressedAgain = pressed
            return
        }
        send(pressed)
    }

    private func send(_ pressed: Int64) {
        isSending = true
        desk.host.readValue(of: .memo) { text in
            self.desk.whenOpen {
                guard !self.isBlank(text) else { return self.ended() }
                let spent = self.drafts.claim()
                self.enqueue(text, replacing: spent) { failure in
                    guard let failure else { return self.stored(text, spent, pressed) }
                    self.drafts.kept()
                    self.desk.say(failure, tone: .error)
                    self.pressedAgain = nil
                    self.ended()
                }
            }
        }
    }

    private func ended() {
        isSending = false
        guard let pressed = pressedAgain else { return }
        pressedAgain = nil
        send(pressed)
    }

    /// Sends a text that was sent before once more, as a memo of its own.
    func resend(_ text: [UInt8]) {
        let now = desk.clock.microseconds
        if let resentAt, now - resentAt < Self.doubleClick { return }
        resentAt = now
        enqueue(text, replacing: nil) { failure in
            if let failure { return self.desk.say(failure, tone: .error) }
            self.desk.say(.resent)
            self.enqueued()
        }
    }

    /// - Parameter then: Gets why nothing was stored.
    private func enqueue(
        _ text: [UInt8], replacing drafts: SpentDrafts?, _ then: @escaping (AppText?) -> Void
    ) {
        let settings = desk.store.state.settings
        let mailed = settings.mailed(text)
        guard mailed.count <= Self.longest else { return then(.memoTooLong) }
        let now = desk.clock.now
        let id = OperationID.make(at: now)
        subject(of: text, id) { subject in
            let body = JSON.object([("subject", .string(subject)), ("text", .string(mailed))])
            let memo = SealedPlace(id: id, kind: .memo, createdAt: now)
            let history = SealedPlace(id: id, kind: .history, createdAt: now)
            self.desk.vault.seal([
                PlainRecord(place: memo, bytes: body.encoded()),
                PlainRecord(place: history, bytes: text),
            ]) { sealed in
                switch sealed {
                case .failed(let failure): then(failure.text)
                case .done(let bodies):
                    let envelope = Envelope(id: id, kind: .memo, createdAt: now)
                    self.store(envelope, bodies, replacing: drafts, then)
                }
            }
        }
    }

    private func store(
        _ envelope: Envelope, _ bodies: [[UInt8]], replacing spent: SpentDrafts?,
        _ then: @escaping (AppText?) -> Void
    ) {
        let key = envelope.id.bytes
        var write = Transaction()
        write.put(
            Record(
                key: key, head: OperationHead.queued(envelope).encoded(), body: bodies[0]),
            in: .outbox)
        write.put(
            Record(key: key, head: HistoryHead(.queued).encoded(), body: bodies[1]), in: .history)
        if let spent {
            spent.delete(in: &write)
            drafts.hold()
        }
        desk.host.perform(write, .strict) { answer in
            switch answer {
            case .done: then(nil)
            case .failed(let name): then(StorageFailure(name).text)
            }
        }
    }

    private func stored(_ sent: [UInt8], _ spent: SpentDrafts, _ pressed: Int64) {
        desk.host.readValue(of: .memo) { current in
            let rest = current == sent ? [] : Remainder.of(current, sent: sent)
            let (host, clock) = (self.desk.host, self.desk.clock)
            host.setValue(rest, of: .memo)
            host.focus(.memo)
            self.showLeaving(sent)
            self.drafts.sent(spent, rest: rest)
            self.desk.store.commit { state in
                state.timings.add(clock.microseconds - pressed, to: .sendToReset)
                state.notice =
                    state.account == .signedOut
                    ? Notice(text: .savedSignedOut, tone: .warning, action: .signIn)
                    : Notice(text: state.isOffline ? .savedOffline : .saved)
            }
            self.enqueued()
            self.ended()
        }
    }

    private func showLeaving(_ text: [UInt8]) {
        desk.host.setText(start(of: text, longest: Self.ghostLength), of: Element(.ghost))
        desk.host.setClass(.isLeaving, true, of: Element(.ghost))
        desk.host.setTimer(.ghost, Self.ghostTime)
    }

    /// What left is gone.
    func clearLeaving() {
        desk.host.setClass(.isLeaving, false, of: Element(.ghost))
        desk.host.setText([], of: Element(.ghost))
    }

    // MARK: Subject

    private func isBlank(_ text: [UInt8]) -> Bool {
        let day = CalendarDay(year: 1970, month: 1, day: 1)
        let id = OperationID(high: 0, low: 0)
        return SubjectRule().subject(of: text, day: day, id: id) { [$0.count] }.isEmpty
    }

    /// Asks the browser for what only it knows: the local day, and where characters end.
    private func subject(
        of text: [UInt8], _ id: OperationID, _ then: @escaping ([UInt8]) -> Void
    ) {
        let rule = desk.store.state.settings.subjectRule
        desk.host.readDay { day in
            var line: [UInt8]?
            let subject = rule.subject(of: text, day: day, id: id) {
                line = $0
                return [$0.count]
            }
            guard let line else { return then(subject) }
            self.desk.host.readCharacterEnds(of: line) { ends in
                then(rule.subject(of: text, day: day, id: id) { _ in ends })
            }
        }
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
