import MemoCore
import OutboxCore
import StoreCore

/// This page's draft: saved sealed as it is typed, restored after a crash, gone when it is sent.
final class Drafts {
    /// How far behind the typing the stored draft may be, besides the time of storing it.
    private static let delay: Int64 = 150
    /// Microseconds in which a page that has just died may still hold its locks.
    private static let longestStart: Int64 = 10_000_000
    private static let shareLock = utf8("share")
    /// How many shared texts wait at most.
    private static let sharesKept: UInt32 = 16

    private let context: AppContext
    /// The draft that this page holds the lock of; other pages have their own.
    private var current: OperationID?
    private var isSaving = false
    private var isTimerSet = false
    private var hasChanged = false
    private var hasFailed = false
    private var flushing: [(Bool) -> Void] = []
    /// Counts the events that make a save under way obsolete.
    private var generation = 0
    /// Whether the memo in the field is being stored: no draft may be written after that.
    private var isHeld = false
    /// Shared texts that are in the field and not yet in this page's stored draft.
    private var takenShares: [[UInt8]] = []
    /// Drafts of ended pages, likewise.
    private var takenDrafts: [[UInt8]] = []
    /// When the locks of drafts were asked for, in microseconds of a clock that is never set.
    private var askedAt: Int64 = 0
    /// Drafts whose locks this page has, because their pages have ended.
    private var ended: [OperationID] = []
    private var isRestoring = false
    /// Whether this page has taken over a draft: the others are for other pages.
    private var hasRestored = false
    /// The keys of the shared texts that the person is offered.
    private var offered: [[UInt8]] = []

    init(context: AppContext) {
        self.context = context
    }

    // MARK: Saving

    /// The field has changed. Its text is not looked at before it is time to save.
    func typed() {
        hasChanged = true
        guard !isSaving, !isTimerSet else { return }
        isTimerSet = true
        context.host.setTimer(.draft, Self.delay)
    }

    /// Saves the field at once, because the page may be about to end.
    ///
    /// - Parameter then: Gets whether the text in the field outlives the page.
    func flush(_ then: @escaping (Bool) -> Void) {
        guard hasChanged || isSaving || isHeld || hasFailed else { return then(true) }
        flushing.append(then)
        save()
    }

    /// Saves the field's text.
    func save() {
        isTimerSet = false
        guard !isSaving, !isHeld else { return }
        isSaving = true
        hasChanged = false
        context.whenOpen {
            self.context.host.readValue(of: .memo) { self.store($0) }
        }
    }

    private func store(_ text: [UInt8]) {
        let (generation, now) = (generation, context.clock.now)
        let id = currentID()
        let spent = claim()
        guard !text.isEmpty else {
            return perform(spent.deletion, spent) { _ in self.saved(true) }
        }
        let place = SealedPlace(id: id, kind: .draft, createdAt: now)
        context.vault.seal([PlainRecord(place: place, bytes: text)]) { sealed in
            // A memo that was sent meanwhile must not come back as a draft.
            guard generation == self.generation else { return self.saved(true) }
            guard case .done(let bodies) = sealed else { return self.saved(false) }
            // Its own record is deleted and put again.
            var write = spent.deletion
            write.put(Record(key: id.bytes, head: now.ordered, body: bodies[0]), in: .drafts)
            self.perform(write, spent) { self.saved($0) }
        }
    }

    private func perform(
        _ write: Transaction,
        _ spent: SpentDrafts,
        _ then: @escaping (Bool) -> Void
    ) {
        context.host.perform(write, .relaxed) { answer in
            if answer.isDone { self.forget(spent) }
            then(answer.isDone)
        }
    }

    private func saved(_ isDone: Bool) {
        isSaving = false
        // Why a memo was not sent is more urgent.
        if !isDone, !hasFailed, context.store.state.notice?.tone != .error {
            context.say(.draftNotSaved, tone: .warning)
        }
        hasFailed = !isDone
        if !isHeld { goOn() }
    }

    /// Saves again if the field has changed meanwhile; else answers the callers of ``flush(_:)``.
    private func goOn() {
        if hasChanged { return flushing.isEmpty ? typed() : save() }
        let bodies = flushing
        flushing.removeAll()
        for body in bodies { body(!hasFailed) }
    }

    private func currentID() -> OperationID {
        if let current { return current }
        let id = OperationID.make(at: context.clock.now)
        current = id
        context.host.takeLock(Self.lock(of: id), ifAvailable: true) { _ in }
        return id
    }

    /// All records that hold parts of the field's text.
    func claim() -> SpentDrafts {
        var drafts = takenDrafts
        drafts.append(currentID().bytes)
        return SpentDrafts(drafts: drafts, shares: takenShares)
    }

    /// Their records are deleted. The locks of drafts that are gone end with the page.
    private func forget(_ spent: SpentDrafts) {
        takenDrafts.removeAll { spent.drafts.contains($0) }
        guard !spent.shares.isEmpty else { return }
        takenShares.removeAll { spent.shares.contains($0) }
        if takenShares.isEmpty { context.host.freeLock(Self.shareLock) }
    }

    // MARK: Sending

    /// The memo is stored now, without its drafts: a save under way is not to be completed any
    /// more, and none is to begin.
    func hold() {
        isHeld = true
        generation += 1
    }

    /// The memo was not stored; the text is still in the field.
    func kept() {
        isHeld = false
        hasChanged = true
        if !isSaving { goOn() }
    }

    /// The memo was stored, and `rest` was typed meanwhile.
    func sent(_ spent: SpentDrafts, rest: [UInt8]) {
        forget(spent)
        isHeld = false
        hasChanged = !rest.isEmpty
        hasFailed = false
        if !isSaving { goOn() }
        restoreNext()
    }

    // MARK: Restoring

    private static func lock(of draft: OperationID) -> [UInt8] { utf8("draft-") + draft.text }

    /// Takes over the first of these drafts whose page has ended. Waits for that in the background.
    func restore(_ records: [Record]) {
        askedAt = context.clock.microseconds
        for record in records {
            guard let id = OperationID(bytes: record.key) else { continue }
            context.host.takeLock(Self.lock(of: id), ifAvailable: false) { answer in
                guard answer.isDone else { return }
                self.ended.append(id)
                self.restoreNext()
            }
        }
    }

    /// Soon after the start a draft joins the typed text. Later a text that the person is writing
    /// has to leave first.
    private func restoreNext() {
        guard !isRestoring, let id = ended.first else { return }
        isRestoring = true
        context.host.readValue(of: .memo) { text in
            let waited = self.context.clock.microseconds - self.askedAt
            guard text.isEmpty || waited < Self.longestStart else {
                self.isRestoring = false
                return
            }
            self.ended.removeFirst()
            self.hasRestored ? self.passOver(id) : self.restore(id)
        }
    }

    /// Its page has ended, and only now its record does not change any more.
    private func restore(_ id: OperationID) {
        var read = Transaction()
        read.get(id.bytes, from: .drafts)
        context.host.perform(read, .read) { answer in
            guard case .done(var reader) = answer, let record = Findings(&reader)[0].first,
                let time = WallTime(ordered: record.head)
            else { return self.passOver(id) }
            let place = SealedPlace(id: id, kind: .draft, createdAt: time)
            self.context.vault.open([(place: place, bytes: record.body)]) { opened in
                guard let text = opened[0].bytes else { return self.passOver(id) }
                self.append(text) { isMerged in
                    self.isRestoring = false
                    self.hasRestored = true
                    if self.current == nil, !isMerged {
                        self.current = id
                    } else {
                        self.takenDrafts.append(id.bytes)
                        self.typed()
                    }
                    self.restoreNext()
                }
            }
        }
    }

    private func passOver(_ id: OperationID) {
        isRestoring = false
        context.host.freeLock(Self.lock(of: id))
        restoreNext()
    }

    /// Puts a text into the field, behind the typed text. The caret stays.
    ///
    /// - Parameter then: Called once the text is in the field, with whether there is other text
    ///   too.
    private func append(_ text: [UInt8], _ then: @escaping (_ isMerged: Bool) -> Void) {
        context.host.readValue(of: .memo) { typed in
            self.context.host.setValue(
                typed.isEmpty ? text : typed + utf8("\n\n") + text,
                of: .memo,
                keepsCaret: !typed.isEmpty
            )
            then(!typed.isEmpty)
        }
    }

    // MARK: Shared texts

    /// Offers the shared texts that no page has taken. Their texts are not read.
    func lookForShares() {
        var read = Transaction()
        read.find(in: .shares, by: .head, limit: Self.sharesKept, bodies: false)
        context.host.perform(read, .read) { answer in
            guard case .done(var reader) = answer else { return }
            let keys = Findings(&reader)[0].map { $0.key }
            self.offer(keys.filter { !self.takenShares.contains($0) })
        }
    }

    private func offer(_ keys: [[UInt8]]) {
        offered = keys
        context.change { $0.isShareOffered = !keys.isEmpty }
    }

    /// Takes the shared texts into the field, one page at a time.
    func takeShares() {
        offer([])
        context.host.takeLock(Self.shareLock, ifAvailable: true) { answer in
            guard answer.isDone else { return self.lookForShares() }
            var read = Transaction()
            read.find(in: .shares, by: .key, limit: Self.sharesKept, bodies: true)
            self.context.host.perform(read, .read) { answer in
                guard case .done(var reader) = answer else { return self.noShares() }
                self.take(Findings(&reader)[0])
            }
        }
    }

    private func noShares() {
        context.say(.shareMissed, tone: .warning)
        if takenShares.isEmpty { context.host.freeLock(Self.shareLock) }
    }

    /// Deletes the shared texts that are offered.
    func discardShares() {
        let write = SpentDrafts(drafts: [], shares: offered).deletion
        offer([])
        context.host.perform(write, .relaxed) { _ in
            self.context.host.ring(.change)
            self.lookForShares()
        }
    }

    private func take(_ records: [Record]) {
        let records = records.filter { !takenShares.contains($0.key) }
        let places = records.map { record in
            SealedPlace(
                id: OperationID(bytes: record.key) ?? OperationID(high: 0, low: 0),
                kind: .draft,
                createdAt: WallTime(ordered: record.head) ?? .distantPast
            )
        }
        let sealed = records.indices.map { (place: places[$0], bytes: records[$0].body) }
        context.vault.open(sealed) { opened in
            var text: [UInt8] = []
            var taken: [[UInt8]] = []
            var unreadable: [[UInt8]] = []
            for index in records.indices {
                switch opened[index] {
                case .done(let shared):
                    if !text.isEmpty { text += utf8("\n\n") }
                    text += shared
                    taken.append(records[index].key)
                case .unreadable: unreadable.append(records[index].key)
                case .notNow: break
                }
            }
            if !unreadable.isEmpty {
                let write = SpentDrafts(drafts: [], shares: unreadable).deletion
                self.context.host.perform(write, .relaxed) { _ in }
            }
            guard !text.isEmpty else { return self.noShares() }
            self.append(text) { _ in
                self.takenShares += taken
                self.context.host.focus(.memo)
                self.typed()
            }
        }
    }

    /// Keeps a shared text until a person takes or discards it.
    ///
    /// - Parameter then: Gets whether it is kept. It is not while as many wait as are kept.
    func keepShare(_ text: [UInt8], _ then: @escaping (Bool) -> Void) {
        var count = Transaction()
        count.count(in: .shares)
        context.host.perform(count, .read) { answer in
            guard case .done(var reader) = answer,
                Findings(&reader).count(0) < Int(Self.sharesKept)
            else { return then(false) }
            self.store(share: text, then)
        }
    }

    private func store(share text: [UInt8], _ then: @escaping (Bool) -> Void) {
        let now = context.clock.now
        let id = OperationID.make(at: now)
        let place = SealedPlace(id: id, kind: .draft, createdAt: now)
        context.vault.seal([PlainRecord(place: place, bytes: text)]) { sealed in
            guard case .done(let bodies) = sealed else { return then(false) }
            var write = Transaction()
            write.put(Record(key: id.bytes, head: now.ordered, body: bodies[0]), in: .shares)
            self.context.host.perform(write, .strict) { then($0.isDone) }
        }
    }
}

/// The records whose text is in the field. They are deleted with the transaction that stores the
/// text elsewhere.
struct SpentDrafts {
    let drafts: [[UInt8]]
    let shares: [[UInt8]]

    var deletion: Transaction {
        var write = Transaction()
        delete(in: &write)
        return write
    }

    func delete(in write: inout Transaction) {
        for draft in drafts { write.delete(draft, from: .drafts) }
        for share in shares { write.delete(share, from: .shares) }
    }
}
