import MemoCore
import MemoTexts
import OutboxCore
import StoreCore

/// This page's draft: saved sealed as it is typed, restored after a crash, gone when it is sent.
///
/// ``DraftMachine`` has the rules; this class has the records, the locks and the field.
final class Drafts {
    private static let shareLock = utf8("share")
    /// The length of the beginning of a shared text that a person sees before taking it.
    private static let glimpseLength = 200

    private let context: AppContext
    private let repository: DraftsRepository
    private var machine = DraftMachine<DraftSource>()
    /// The record that this page writes, and holds the lock of; other pages have their own.
    private var own: OperationID?
    /// The text of the save under way and when it was read, until it is written.
    private var sealed: (body: [UInt8]?, time: WallTime) = (nil, .distantPast)
    /// The callers of ``flush(_:)``.
    private var flushing: [(Bool) -> Void] = []
    /// When the locks of drafts were asked for, in microseconds of a clock that is never set.
    private var askedAt: Int64 = 0
    /// The keys of the shared texts that the person is offered.
    private var offered: [[UInt8]] = []

    init(context: AppContext) {
        self.context = context
        repository = DraftsRepository(host: context.host)
    }

    private func tell(_ event: DraftMachine<DraftSource>.Event) {
        for effect in machine.handle(event) {
            switch effect {
            case .pause: context.host.setTimer(.draft, DraftMachine<DraftSource>.pause)
            case .save: save()
            case .write(let spent): write(spent)
            case .tellNotSaved: context.say(.draftNotSaved, tone: .warning, about: .draft)
            case .answer(let keeping):
                let bodies = flushing
                flushing.removeAll()
                for body in bodies { body(keeping == .kept) }
            case .look:
                context.host.readValue(of: .memo) { text in
                    let waited = (self.context.clock.microseconds - self.askedAt) / 1000
                    self.tell(.looked(isEmpty: text.isEmpty, waited: waited))
                }
            case .restore(let source): restore(source)
            case .release(let source):
                if let draft = source.draft { context.host.freeLock(Self.lock(of: draft)) }
            }
        }
    }

    // MARK: Saving

    /// The field has changed. Its text is not looked at before it is time to save.
    func typed() { tell(.typed) }

    /// The pause after a change is over.
    func paused() { tell(.paused) }

    /// Saves the field at once, because the page may be about to end.
    ///
    /// - Parameter then: Gets whether the text in the field outlives the page.
    func flush(_ then: @escaping (Bool) -> Void) {
        flushing.append(then)
        tell(.leaving)
    }

    private func save() {
        context.whenOpen {
            self.context.host.readValue(of: .memo) { self.seal($0) }
        }
    }

    private func seal(_ text: [UInt8]) {
        sealed = (nil, context.clock.now)
        guard !text.isEmpty else { return tell(.ready) }
        let binding = SealBinding(id: ownID(), kind: .draft, createdAt: sealed.time)
        context.vault.seal([PlainRecord(binding: binding, bytes: text)]) { answer in
            guard case .done(let bodies) = answer else { return self.tell(.saveFailed) }
            self.sealed.body = bodies[0]
            self.tell(.ready)
        }
    }

    private func write(_ spent: [DraftSource]) {
        let draft = sealed.body.map {
            Record(key: ownID().bytes, head: sealed.time.ordered, body: $0)
        }
        repository.write(draft, spending: self.spent(spent)) { isDone in
            self.tell(isDone ? .saved : .saveFailed)
            guard isDone else { return }
            self.context.end(.draft)
            self.forgot(spent)
        }
    }

    /// Writes this record from now on.
    func own(_ id: OperationID) {
        own = id
        context.host.takeLock(Self.lock(of: id.bytes), ifAvailable: true) { _ in }
    }

    private func ownID() -> OperationID {
        if own == nil { own(context.clock.makeID()) }
        return own ?? OperationID(high: 0, low: 0)
    }

    private func spent(_ sources: [DraftSource]) -> SpentDrafts {
        SpentDrafts(own: ownID(), sources: sources)
    }

    /// The records are deleted. The locks of drafts that are gone end with the page.
    private func forgot(_ sources: [DraftSource]) {
        if sources.contains(where: { $0.isShare }) { freeShares() }
    }

    private func freeShares() {
        guard !machine.taken.contains(where: { $0.isShare }) else { return }
        context.host.freeLock(Self.shareLock)
    }

    // MARK: Sending

    /// The person wants to send the field's text.
    ///
    /// - Returns: All records that hold parts of the text.
    func pressed() -> SpentDrafts {
        let spent = spent(machine.taken)
        tell(.pressed)
        return spent
    }

    /// The memo was not stored; the text is still in the field.
    func kept() { tell(.notSent) }

    /// The memo was stored, and `rest` was typed meanwhile.
    func sent(_ spent: SpentDrafts, rest: [UInt8]) {
        tell(.sent(spent.sources, isEmpty: rest.isEmpty))
        forgot(spent.sources)
    }

    /// The person has signed out.
    func signedOut() { tell(.signedOut) }

    // MARK: Restoring

    private static func lock(of draft: [UInt8]) -> [UInt8] {
        utf8("draft-") + (OperationID(bytes: draft)?.text ?? [])
    }

    /// Takes over the first of these drafts whose page has ended. Waits for that in the background.
    func restore(_ records: [Record]) {
        askedAt = context.clock.microseconds
        for record in records {
            guard let id = OperationID(bytes: record.key) else { continue }
            guard id != own else {
                // The host's, until now. The field may hold another text by now, or none.
                typed()
                continue
            }
            context.host.takeLock(Self.lock(of: id.bytes), ifAvailable: false) { answer in
                if answer.isDone { self.tell(.ended(.draft(id.bytes))) }
            }
        }
    }

    /// Its page has ended, and only now its record does not change any more.
    private func restore(_ source: DraftSource) {
        guard let key = source.draft, let id = OperationID(bytes: key) else { return tell(.gone) }
        repository.read(key) { record in
            guard let record, let time = WallTime(ordered: record.head) else {
                return self.tell(.gone)
            }
            let binding = SealBinding(id: id, kind: .draft, createdAt: time)
            self.context.vault.open([(binding: binding, bytes: record.body)]) { opened in
                guard let text = opened[0].bytes else { return self.tell(.gone) }
                self.append(text) { self.tell(.restored(isMerged: $0)) }
            }
        }
    }

    /// Puts a text into the field, behind the typed text. The caret stays.
    ///
    /// - Parameter then: Called once the text is in the field, with whether there is other text
    ///   too.
    private func append(_ text: [UInt8], _ then: @escaping (_ isMerged: Bool) -> Void) {
        context.host.readValue(of: .memo) { typed in
            self.context.host.setValue(
                DraftMachine<DraftSource>.joined(typed, text),
                of: .memo,
                keepsCaret: !typed.isEmpty
            )
            then(!typed.isEmpty)
        }
    }

    // MARK: Shared texts

    /// Offers the shared texts that no page has taken, with the beginning of the first.
    func lookForShares() {
        repository.readShareKeys { keys in
            self.offer(keys.filter { !self.machine.taken.contains(.share($0)) })
        }
    }

    private func offer(_ keys: [[UInt8]]) {
        guard offered != keys else { return }
        offered = keys
        context.change { $0.offeredShare = keys.isEmpty ? nil : [] }
        guard let first = keys.first else { return }
        repository.readShare(first) { record in
            guard let record else { return }
            self.context.vault.open([(binding: Self.binding(ofShare: record), bytes: record.body)])
            {
                guard let text = $0[0].bytes, self.offered == keys else { return }
                self.context.change {
                    $0.offeredShare = start(of: text, longest: Self.glimpseLength)
                }
            }
        }
    }

    private static func binding(ofShare record: Record) -> SealBinding {
        SealBinding(
            id: OperationID(bytes: record.key) ?? OperationID(high: 0, low: 0),
            kind: .draft,
            createdAt: WallTime(ordered: record.head) ?? .distantPast
        )
    }

    /// Takes the shared texts into the field, one page at a time.
    func takeShares() {
        offer([])
        context.host.takeLock(Self.shareLock, ifAvailable: true) { answer in
            guard answer.isDone else { return self.lookForShares() }
            self.repository.readShares {
                self.take($0)
            } orElse: {
                self.noShares()
            }
        }
    }

    private func noShares() {
        context.say(.shareMissed, tone: .warning)
        freeShares()
    }

    /// Deletes the shared texts that are offered.
    func discardShares() {
        let discarded = offered
        offer([])
        repository.delete(discarded.map { .share($0) }) {
            self.context.host.ring(.change)
            self.lookForShares()
        }
    }

    private func take(_ records: [Record]) {
        let records = records.filter { !machine.taken.contains(.share($0.key)) }
        let sealed = records.map { (binding: Self.binding(ofShare: $0), bytes: $0.body) }
        context.vault.open(sealed) { opened in
            var text: [UInt8] = []
            var taken: [DraftSource] = []
            var unreadable: [DraftSource] = []
            for index in records.indices {
                switch opened[index] {
                case .done(let shared):
                    if !text.isEmpty { text += utf8("\n\n") }
                    text += shared
                    taken.append(.share(records[index].key))
                case .unreadable: unreadable.append(.share(records[index].key))
                case .notNow: break
                }
            }
            if !unreadable.isEmpty { self.repository.delete(unreadable) }
            guard !text.isEmpty else { return self.noShares() }
            self.append(text) { _ in
                self.context.host.focus(.memo)
                self.tell(.joined(taken))
            }
        }
    }

    /// Keeps a shared text until a person takes or discards it.
    ///
    /// - Parameter then: Gets whether it is kept. It is not while as many wait as are kept.
    func keepShare(_ text: [UInt8], _ then: @escaping (Bool) -> Void) {
        repository.hasRoomForShare { hasRoom in
            hasRoom ? self.store(share: text, then) : then(false)
        }
    }

    private func store(share text: [UInt8], _ then: @escaping (Bool) -> Void) {
        let now = context.clock.now
        let id = context.clock.makeID()
        let binding = SealBinding(id: id, kind: .draft, createdAt: now)
        context.vault.seal([PlainRecord(binding: binding, bytes: text)]) { sealed in
            guard case .done(let bodies) = sealed else { return then(false) }
            let share = Record(key: id.bytes, head: now.ordered, body: bodies[0])
            self.repository.add(share: share, then)
        }
    }
}
