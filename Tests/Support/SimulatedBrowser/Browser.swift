import OutboxCore
package import OutboxTesting
package import WebClient

/// A browser in memory: the state that all pages and workers of one person share, and that survives
/// them.
package final class Browser {
    package typealias Rows = [[UInt8]: Record]

    /// The browser's database.
    package var stores: [[UInt8]: Rows] = [:]
    package var keys: [[UInt8]] = []
    package private(set) var locks: [[UInt8]: Lock] = [:]
    package private(set) var pages: [Page] = []
    package var isOnline = true
    /// The name of the error that writing ends with.
    package var writeFailure: String?
    /// The name of the error that reading ends with.
    package var readFailure: String?
    /// Whether the browser grants persistent storage.
    package var isPersistent = true
    /// Whether the key is missing for now, though records are sealed under it.
    package var isKeyAway = false
    /// The number of records that were not opened because the key was missing.
    package internal(set) var unopened = 0
    /// The person's permission for notifications.
    package var permission = NoticePermission.unasked
    /// The answer of a person who is asked for that permission.
    package var answersToQuestion = NoticePermission.given
    /// How often the person was asked.
    package internal(set) var questions = 0
    /// The notifications that the person sees, by their memos' identifiers, and whether they have a button.
    package var notices: [String: Bool] = [:]
    /// The identifiers of all notifications that came up, in their order.
    package private(set) var noticesEver: [String] = []
    /// Whether the system takes no notifications.
    package var refusesNotices = false
    package let relay = Relay()
    /// Takes the exchanges of pages and workers: ``relay`` unless told.
    package weak var network: (any Network)?
    package var events = Events()
    /// A deliberate fault.
    package var flaw: Flaw?
    /// The states of the database since the last transaction that is on the disk, that one first: a
    /// power cut may leave any of them.
    private var states: [(stores: [[UInt8]: Rows], keys: [[UInt8]])] = [([:], [])]
    /// The number of transactions that power cuts have undone.
    package private(set) var undoneTransactions = 0
    /// The number of attempts by pages and workers that did not hold the drainer's lock.
    package internal(set) var attemptsWithoutRole = 0
    /// The wall clock, which can be set, and a clock that cannot.
    package var wallTime = 1_800_000_000_000.0
    package var monotonicTime = 0.0
    package var random: SeededRandom
    /// The source of the identifiers, keys and jitter of the apps.
    private var appRandom: SeededRandom

    /// The holder of a lock, and the requests that wait for it.
    package struct Lock {
        package internal(set) var holder: Page
        var waiting: [(page: Page, request: UInt32)] = []
    }

    /// The moments in which a world may interfere, and of which it may take note.
    package struct Events {
        /// Called before a transaction: gives the name of the error that it ends with.
        package var failure: (_ isWriting: Bool) -> String? = { _ in nil }
        /// Called after each transaction that writes.
        package var written: () -> Void = {}
        /// Called for each message to another page: whether it is lost.
        package var isRingLost: () -> Bool = { false }

        package init() {}
    }

    /// A fault that is made on purpose, so that a test has something to find.
    package enum Flaw: Sendable {
        /// The steps of a transaction are stored one after another.
        case tornTransactions
        /// Every page gets every lock.
        case sharedLocks
        /// A field is emptied before its text is stored.
        case hastyField
        /// A strict transaction is no more durable than another one.
        case relaxedDisk
        /// Sealed bytes can be read.
        case clearRecords
    }

    package init(seed: UInt64 = 1) {
        random = SeededRandom(seed: seed)
        appRandom = SeededRandom(seed: ~seed)
        network = relay
    }

    package func rows(_ records: Records) -> Rows { stores["\(records.name)".bytes] ?? [:] }

    /// Whether a record of these holds the text, sealed as `Page.seal` does. By bytes: as
    /// characters, a text could melt into a mark that happens to follow it.
    package func holds(_ text: String, in records: Records) -> Bool {
        rows(records).values.contains { $0.body.map { ~$0 }.firstRange(of: text.bytes) != nil }
    }

    /// The text in a record, sealed as `Page.seal` does; empty for bytes that are not sealed.
    package func text(of record: Record) -> String {
        String(decoding: opened(record) ?? [], as: UTF8.self)
    }

    /// The bytes in a record, sealed as `Page.seal` does; `nil` for bytes that are not sealed.
    package func opened(_ record: Record) -> [UInt8]? {
        guard let sealed = try? SealedRecord(decoding: record.body) else { return nil }
        return sealed.ciphertext.map { flaw == .clearRecords ? $0 : ~$0 }
    }

    /// Puts other bytes, sealed as `Page.seal` does, into the place of a record's.
    package func replace(_ record: Record, in records: Records, by bytes: [UInt8]) {
        guard let sealed = try? SealedRecord(decoding: record.body) else { return }
        let body = SealedRecord(
            keyID: sealed.keyID,
            nonce: sealed.nonce,
            ciphertext: bytes.map { flaw == .clearRecords ? $0 : ~$0 },
            tag: sealed.tag
        )
        stores["\(records.name)".bytes]?[record.key] = Record(
            key: record.key,
            head: record.head,
            body: body.encoded()
        )
    }

    /// All bytes of the database.
    package var allBytes: [[UInt8]] {
        stores.values.flatMap { $0.values.flatMap { [$0.key, $0.head, $0.body] } }
    }

    func randomWord() -> UInt64 { appRandom.next() }

    // MARK: Pages

    /// Opens a page and lets it come to rest.
    ///
    /// - Parameters:
    ///   - draft: The key of the record in which the host keeps the page's draft; `nil` for a new one.
    ///   - memo: The text that is typed before the module comes.
    @discardableResult
    package func open(
        _ role: Page.Role = .page,
        query: String = "",
        isOnline: Bool = true,
        hasCrypto: Bool = true,
        draft: [UInt8]? = nil,
        memo: String = "",
        settling: Bool = true
    ) -> Page {
        let page = Page(self)
        page.memo = memo
        pages.append(page)
        let time = WallTime(millisecondsSinceEpoch: Int64(wallTime))
        let new = OperationID(time: time, random: (randomWord(), randomWord())).bytes
        page.start(
            role,
            query: query,
            isOnline: isOnline,
            hasCrypto: hasCrypto,
            draft: role == .page ? draft ?? new : []
        )
        if settling { settle() }
        return page
    }

    /// Ends the page between two steps: only stored records remain.
    package func kill(_ page: Page) {
        page.die()
        pages.removeAll { $0 === page }
        for name in locks.keys.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
            locks[name]?.waiting.removeAll { $0.page === page }
            if locks[name]?.holder === page { free(name) }
        }
    }

    // MARK: The database

    /// The name of the error that a transaction ends with.
    func failure(isWriting: Bool) -> String? {
        events.failure(isWriting) ?? (isWriting ? writeFailure : readFailure)
    }

    /// Notes a transaction. IndexedDB keeps the order of transactions: one that is on the disk takes
    /// all before it along.
    func committed(isStrict: Bool) {
        if isStrict, flaw != .relaxedDisk { states.removeAll() }
        states.append((stores, keys))
        events.written()
    }

    /// Ends all pages and workers, and leaves the database as it was after some transaction since the
    /// last one that is on the disk.
    ///
    /// - Returns: The number of transactions that are undone.
    @discardableResult
    package func cutPower() -> Int {
        for page in pages { kill(page) }
        let left = Int.random(in: states.indices, using: &random)
        let undone = states.count - 1 - left
        undoneTransactions += undone
        (stores, keys) = states[left]
        states = [states[left]]
        return undone
    }

    // MARK: Notifications

    /// Shows notifications, if the person allows it, and takes all others back.
    ///
    /// - Returns: Whether they are taken.
    func notify(_ wanted: [(id: String, kind: UInt8)]) -> Bool {
        guard permission == .given else { return true }
        guard !refusesNotices else { return false }
        notices = notices.filter { shown in wanted.contains { $0.id == shown.key } }
        for (id, kind) in wanted where kind > 0 {
            if notices[id] == nil { noticesEver.append(id) }
            notices[id] = kind == 2
        }
        return true
    }

    // MARK: Locks

    func take(_ name: [UInt8], for page: Page, _ request: UInt32, ifAvailable: Bool) {
        if locks[name] == nil || flaw == .sharedLocks {
            locks[name] = Lock(holder: page)
            page.answer(request)
        } else if ifAvailable {
            page.fail(request, "NotAvailable")
        } else {
            locks[name]?.waiting.append((page, request))
        }
    }

    func free(_ name: [UInt8]) {
        guard var lock = locks[name] else { return }
        guard !lock.waiting.isEmpty else {
            locks[name] = nil
            return
        }
        let next = lock.waiting.removeFirst()
        lock.holder = next.page
        locks[name] = lock
        next.page.answer(next.request)
    }

    // MARK: Time

    /// Whether there is something left to do without time passing.
    package var isBusy: Bool { pages.contains { !$0.work.isEmpty } }

    /// Does one thing of one page, picked at random.
    package func step() {
        let busy = pages.filter { !$0.work.isEmpty }
        if let page = busy.randomElement(using: &random) { step(page) }
    }

    /// Does the next thing of one page.
    package func step(_ page: Page) {
        guard !page.work.isEmpty else { return }
        page.work.removeFirst()()
        // The host answers within the same task: no key is pressed in between.
        while page.atOnce > 0 {
            page.atOnce -= 1
            page.work.removeFirst()()
        }
    }

    package func settle(limit: Int = 10_000) {
        var steps = 0
        while isBusy, steps < limit {
            step()
            steps += 1
        }
        precondition(steps < limit, "the pages never come to rest")
    }

    /// Lets time pass, firing the timers that come due, in their order.
    package func pass(milliseconds: Double) {
        let end = monotonicTime + milliseconds
        settle()
        while let (page, next) = nextTimer, next.due <= end {
            let step = max(0, next.due - monotonicTime)
            monotonicTime += step
            wallTime += step
            page.fire(next.timer)
            settle()
        }
        wallTime += end - monotonicTime
        monotonicTime = end
    }

    /// The timer that is due first, of all pages.
    private var nextTimer: (Page, (timer: Timer, due: Double))? {
        pages.compactMap { page in page.nextTimer.map { (page, $0) } }.min { $0.1.due < $1.1.due }
    }

    /// All pages are out of sight: they ask the relay for nothing new.
    package func hide() {
        for page in pages { page.tellVisible(false) }
        settle()
    }

    package func setOnline(_ isOnline: Bool) {
        self.isOnline = isOnline
        for page in pages { page.tellNetwork(isOnline) }
        settle()
    }
}

extension String {
    package var bytes: [UInt8] { Array(utf8) }
}
