import MemoTexts
package import OutboxCore
package import WebClient

/// A page or a service worker in memory: the host script's part, one command at a time.
package final class Page {
    package enum Role { case page, worker }

    package let browser: Browser
    package let app: App
    package internal(set) var isDead = false
    /// The events to come, in order.
    package var work: [() -> Void] = []
    /// How many of these, from the first, happen within the task that is running.
    package var atOnce = 0
    package var timers: [UInt32: Double] = [:]
    /// Values of fields, texts and attributes of elements.
    package var values: [Name: [UInt8]] = [:]
    package var texts: [Name: String] = [:]
    /// Texts of parts of rows, under the descriptions of their elements.
    package var partTexts: [String: String] = [:]
    package var attributes: [Name: [Name: String]] = [:]
    /// Attributes of parts of rows, under the descriptions of their elements.
    package var partAttributes: [String: [Name: String]] = [:]
    package var rows: [Name: [UInt32]] = [:]
    package var finished: [UInt32: Bool] = [:]
    package var focus = Name.none
    package var copied = ""
    package var isReloaded = false
    package var activations = 0
    package var registrations = 0
    package var openDialogs: [Name] = []
    /// The rows that the app has unfolded.
    package var unfolded: [UInt32] = []
    /// The addresses of pages that were opened in windows of their own.
    package var opened: [String] = []
    package var place = ""
    /// The next opening of records lasts until it is let go.
    package var holdsNextOpen = false
    package var heldOpen: (() -> Void)?
    package var syncTags = 0

    init(_ browser: Browser) {
        self.browser = browser
        app = App { [unowned browser] in browser.randomWord() }
    }

    func start(_ role: Role, query: String, isOnline: Bool, hasCrypto: Bool, draft: [UInt8]) {
        var writer = BorderWriter()
        writer.number(role == .page ? 0 : 1)
        for text in ["en-GB,de", query, ""] { writer.block(text.bytes) }
        writer.number(80)
        writer.block("Web (Test)".bytes)
        writer.block(draft)
        let mayNotify: UInt32 = browser.permission == .given ? 512 : 0
        let abilities: UInt32 = (isOnline ? 1 : 0) | 2 | (hasCrypto ? 4 : 0) | 8 | 64
        tell(.started, number: abilities | mayNotify, writer.bytes)
    }

    // MARK: The person

    package var memo: String {
        get { String(decoding: values[.memo] ?? [], as: UTF8.self) }
        set { values[.memo] = newValue.bytes }
    }

    package func type(_ text: String) {
        memo += text
        tell(.typed, number: UInt32(Name.memo.rawValue))
    }

    package func click(_ id: Name, row: UInt32 = 0, part: Name = .none) {
        var writer = BorderWriter()
        writer.number(UInt32(id.rawValue))
        writer.number(UInt32(part.rawValue))
        tell(.clicked, number: row, writer.bytes)
    }

    /// Presses the keys that send, in the field.
    package func pressEnter() {
        var writer = BorderWriter()
        writer.block("Enter".bytes)
        writer.block(values[.memo] ?? [])
        tell(.pressed, number: UInt32(Name.memo.rawValue), writer.bytes)
    }

    package func choose(_ id: Name, _ value: String) {
        values[id] = value.bytes
        tell(.chosen, number: UInt32(id.rawValue), value.bytes)
    }

    package func send(_ text: String) {
        type(text)
        click(.send)
        browser.settle()
    }

    package func signIn(as address: String = "somebody@example.org") {
        values[.address] = address.bytes
        click(.askCode)
        browser.settle()
        values[.code] = "123 456".bytes
        tell(.typed, number: UInt32(Name.code.rawValue))
        browser.settle()
    }

    package func isHidden(_ id: Name) -> Bool { attributes[id]?[.hidden] != nil }

    /// A part of a row is not to be seen.
    package func isHidden(_ part: Name, in list: Name, at index: Int = 0) -> Bool {
        partAttributes[element(part, in: list, at: index)]?[.hidden] != nil
    }

    /// The text of a part of a row.
    package func text(_ part: Name, in list: Name, at index: Int = 0) -> String? {
        partTexts[element(part, in: list, at: index)]
    }

    private func element(_ part: Name, in list: Name, at index: Int) -> String {
        "\(Element(list, row: rows[list]?[index] ?? 0, part: part))"
    }

    // MARK: Border

    /// Nothing more happens to the page.
    func die() {
        isDead = true
        work.removeAll()
        timers.removeAll()
    }

    /// Whether there is something to do without time passing.
    package var isBusy: Bool { !work.isEmpty }

    /// The timer that is due first.
    package var nextTimer: (timer: Timer, due: Double)? {
        let next = timers.min { ($0.value, $0.key) < ($1.value, $1.key) }
        return next.flatMap { next in Timer(rawValue: next.key).map { ($0, next.value) } }
    }

    /// Fires a timer, perhaps before its time, if it is set.
    package func fire(_ timer: Timer) {
        guard timers.removeValue(forKey: timer.rawValue) != nil else { return }
        tell(.timerFired, number: timer.rawValue)
    }

    /// Tells the connection.
    ///
    /// - Parameter kind: 0 unknown, 1 Wi-Fi, 2 cellular, 3 Ethernet.
    package func tellNetwork(_ isConnected: Bool, kind: UInt32 = 0) {
        tell(.networkChanged, number: (isConnected ? 1 : 0) | kind << 7)
    }

    /// The page comes into sight, with the focus, or is out of sight.
    package func tellVisible(_ isVisible: Bool) {
        tell(.visibilityChanged, number: isVisible ? 3 : 0)
    }

    /// The person presses the button of a notification.
    package func tellResend(_ request: UInt32, _ id: String) {
        tell(.resendAsked, number: request, id.bytes)
    }

    /// The browser wakes this service worker, because there may be a network.
    package func tellSync(_ request: UInt32) { tell(.synced, number: request) }

    package func tell(_ kind: EventKind, number: UInt32 = 0, _ bytes: [UInt8] = []) {
        guard !isDead else { return }
        work.append { [self] in
            let commands = app.handle(
                kind: kind.rawValue,
                number: number,
                bytes: bytes,
                wallTime: browser.wallTime,
                monotonicTime: browser.monotonicTime
            )
            var reader = CommandReader(commands)
            var now: [() -> Void] = []
            while let command = reader.next() { now.append { self.execute(command) } }
            for command in now { command() }
        }
    }

    /// Answers later, when it is this page's turn.
    func answer(_ request: UInt32, _ write: (inout BorderWriter) -> Void = { _ in }) {
        var writer = BorderWriter()
        writer.number(0)
        write(&writer)
        tell(.answered, number: request, writer.bytes)
    }

    func fail(_ request: UInt32, _ name: String) {
        var writer = BorderWriter()
        writer.number(1)
        writer.block(name.bytes)
        tell(.answered, number: request, writer.bytes)
    }

    private func execute(_ command: Instruction) {
        switch command {
        case .text(let element, let text): set(text, element)
        case .words(let element, let attribute, let text, let values):
            let words = Language.english.text(text).filled(with: values)
            guard attribute != .none else { return set(words, element) }
            attributes[element.id, default: [:]][attribute] = String(
                decoding: words,
                as: UTF8.self
            )
        case .value(let element, let value): values[element.id] = value
        case .attribute(let element, let name, let value):
            set(name, String(decoding: value, as: UTF8.self), element)
        case .removeAttribute(let element, let name): set(name, nil, element)
        case .addRow(let list, let key, let before):
            let index = rows[list, default: []].firstIndex(of: before)
            rows[list, default: []].insert(key, at: index ?? rows[list, default: []].count)
        case .remove(let element): rows[element.id]?.removeAll { $0 == element.row }
        case .focus(let id): focus = id
        case .read(let request, let element):
            // The host answers within the same task: before anything else happens here.
            let value = values[element.id] ?? []
            var writer = BorderWriter()
            writer.number(0)
            writer.block(value)
            tell(.answered, number: request, writer.bytes)
            work.insert(work.removeLast(), at: 0)
            atOnce += 1
        case .done(let request): answer(request)
        case .timer(let id, let wait):
            timers[id] = wait < 0 ? nil : browser.monotonicTime + wait
        case .transaction(let request, let mode, let steps, let taking):
            perform(request, mode, steps, taking)
        case .makeKey(let request, let name):
            if browser.keys.isEmpty { browser.keys.append(name) }
            browser.committed(isStrict: true)
            answer(request) { writer in for key in browser.keys { writer.block(key) } }
        case .seal(let request, let records): seal(request, records)
        case .open(let request, let records):
            guard holdsNextOpen else { return open(request, records) }
            holdsNextOpen = false
            heldOpen = { self.open(request, records) }
        case .exchange(let number, let request): exchange(number, request)
        case .lock(let request, let name, let ifAvailable):
            browser.take(name, for: self, request, ifAvailable: ifAvailable)
        case .free(let name): if browser.locks[name]?.holder === self { browser.free(name) }
        case .ring(let bell):
            for page in browser.pages where page !== self && !browser.events.isRingLost() {
                page.tell(.rung, bell)
            }
        case .copy(let request, let text):
            copied = text
            answer(request)
        case .finish(let request, let isDone): finished[request] = isDone
        case .reload: isReloaded = true
        case .activate: activations += 1
        case .register: registrations += 1
        case .dialog(let element, let isOpen):
            if element.row > 0 { return unfolded.append(element.row) }
            openDialogs.removeAll { $0 == element.id }
            if isOpen { openDialogs.append(element.id) }
        case .navigate(let place): self.place = place
        case .sync: syncTags += 1
        case .persist(let request): answer(request) { $0.number(browser.isPersistent ? 1 : 0) }
        case .day(let request):
            answer(request) { for number in [2026, 11, 21] as [UInt32] { $0.number(number) } }
            work.insert(work.removeLast(), at: 0)
            atOnce += 1
        case .ends(let request, let line):
            let text = String(decoding: line, as: UTF8.self)
            let ends = text.indices.map {
                text.utf8.distance(from: text.startIndex, to: text.index(after: $0))
            }
            answer(request) { writer in
                writer.number(UInt32(ends.count))
                for end in ends { writer.number(UInt32(end)) }
            }
        case .window(let address): opened.append(address)
        case .notify(let request, let notices):
            guard browser.notify(notices) else { return fail(request, "TypeError") }
            answer(request) { $0.number(browser.permission.rawValue) }
        case .askToNotify(let request):
            browser.questions += 1
            browser.permission = browser.answersToQuestion
            answer(request)
        case .nothing: break
        }
    }

    private func set(_ text: [UInt8], _ element: Element) {
        let text = String(decoding: text, as: UTF8.self)
        if element.row == 0 { texts[element.id] = text } else { partTexts["\(element)"] = text }
    }

    private func set(_ name: Name, _ value: String?, _ element: Element) {
        if element.row == 0 {
            attributes[element.id, default: [:]][name] = value
        } else {
            partAttributes["\(element)", default: [:]][name] = value
        }
    }

    // MARK: Devices

    private func perform(
        _ request: UInt32,
        _ mode: UInt8,
        _ steps: [TransactionStep],
        _ taking: (field: Name, text: [UInt8])?
    ) {
        precondition(!steps.isEmpty, "IndexedDB has no transaction over no records")
        if let taking, browser.flaw == .hastyField { values[taking.field] = [] }
        if let failure = browser.failure(isWriting: mode > 0) { return fail(request, failure) }
        var steps = steps
        while browser.flaw == .tornTransactions, mode > 0, steps.count > 1 {
            let first = steps.removeFirst()
            work.append { [self] in
                _ = first.perform(on: browser)
                browser.committed(isStrict: mode == 2)
            }
        }
        work.append { [self, steps] in
            for step in steps where step.kind == .put && !step.blocks[3].isEmpty {
                guard browser.keys.contains(step.blocks[3]) else {
                    return fail(request, "UnknownKey")
                }
            }
            for step in steps where step.kind == .require {
                let head = browser.stores[step.store]?[step.blocks[0]]?.head ?? []
                guard head == step.blocks[1] else { return fail(request, "OvertakenError") }
            }
            // Complete and durable at this moment, whether or not the page lives to hear of it.
            let found = steps.map { $0.perform(on: browser) }
            if mode > 0 { browser.committed(isStrict: mode == 2) }
            if let taking { return take(taking, request) }
            answer(request) { writer in
                writer.number(UInt32(found.count))
                for (count, records) in found {
                    writer.number(UInt32(count))
                    writer.number(UInt32(records.count))
                    for record in records {
                        writer.block(record.key)
                        writer.block(record.head)
                        writer.block(record.body)
                    }
                }
            }
        }
    }

    /// The field as it is when the page hears of it.
    private func take(_ taking: (field: Name, text: [UInt8]), _ request: UInt32) {
        work.append { [self] in
            guard !isDead else { return }
            let value = values[taking.field] ?? []
            let isAll = value == taking.text
            if isAll { (values[taking.field], focus) = ([], taking.field) }
            answer(request) { writer in
                writer.number(isAll ? 1 : 0)
                if !isAll { writer.block(value) }
            }
            work.removeLast()()
        }
    }

    /// Not a cipher: the bytes turned over, with key and associated data beside them, so that a
    /// record opens only where it was sealed.
    private func seal(_ request: UInt32, _ records: [CipherBytes]) {
        answer(request) { writer in
            for record in records {
                writer.block([UInt8](repeating: 7, count: SealedRecord.nonceLength))
                let mark = Self.mark(record.key + record.associatedData)
                let isClear = browser.flaw == .clearRecords
                writer.block(record.bytes.map { isClear ? $0 : ~$0 } + mark)
            }
        }
    }

    /// The bytes of a record that an app without a flaw seals.
    package static func sealed(
        _ text: String,
        under key: KeyID,
        _ associatedData: [UInt8]
    ) -> [UInt8] {
        SealedRecord(
            keyID: key,
            nonce: [UInt8](repeating: 7, count: SealedRecord.nonceLength),
            ciphertext: text.utf8.map { ~$0 },
            tag: mark(bigEndian(key.rawValue) + associatedData)
        ).encoded()
    }

    private func open(_ request: UInt32, _ records: [CipherBytes]) {
        answer(request) { writer in
            for record in records {
                if browser.isKeyAway || !browser.keys.contains(record.key) {
                    browser.unopened += 1
                    writer.number(2)
                    writer.block([])
                    continue
                }
                let mark = Self.mark(record.key + record.associatedData)
                let isOpen = Array(record.bytes.suffix(16)) == mark
                writer.number(isOpen ? 1 : 0)
                let sealed = record.bytes.dropFirst(SealedRecord.nonceLength).dropLast(16)
                let isClear = browser.flaw == .clearRecords
                writer.block(isOpen ? sealed.map { isClear ? $0 : ~$0 } : [])
            }
        }
    }

    private static func mark(_ bytes: [UInt8]) -> [UInt8] {
        var mark = [UInt8](repeating: 0, count: 16)
        for (index, byte) in bytes.enumerated() {
            mark[index % 16] = mark[index % 16] &* 31 &+ byte
        }
        return mark
    }

    private func exchange(_ number: UInt32, _ request: NetworkRequest) {
        if request.method == "PUT", browser.locks["drain".bytes]?.holder !== self {
            browser.attemptsWithoutRole += 1
        }
        browser.network?.take(request, of: self) { [self] answer in
            switch answer {
            case .failure(let failure): fail(number, failure.rawValue)
            case .success(let answer): self.answer(number) { answer.write(to: &$0) }
            }
        }
    }
}
