import MemoCore
import MemoTexts
import OutboxCore
import WireCore

/// The commands to the host, collected while an event is handled and executed right after.
///
/// Every request is answered by exactly one event, which calls the closure that came with it.
final class Host {
    private var commands = BorderWriter()
    private var requests: [(number: UInt32, answered: (Answer) -> Void)] = []
    private var lastRequest: UInt32 = 0
    private var hasTransition = false
    private let clock: Clock
    /// The transitions of operations that were stored from here.
    private(set) var log = TransitionLog()

    init(clock: Clock) {
        self.clock = clock
    }

    /// Everything commanded since the last call.
    func take() -> [UInt8] {
        defer {
            commands.removeAll()
            hasTransition = false
        }
        return hasTransition ? [Command.beginTransition.rawValue] + commands.bytes : commands.bytes
    }

    func answered(_ request: UInt32, _ answer: Answer) {
        guard let index = requests.firstIndex(where: { $0.number == request }) else { return }
        requests.remove(at: index).answered(answer)
    }

    private func command(_ command: Command) {
        commands.byte(command.rawValue)
    }

    private func request(_ command: Command, _ answered: @escaping (Answer) -> Void) {
        lastRequest &+= 1
        requests.append((lastRequest, answered))
        self.command(command)
        commands.number(lastRequest)
    }
}

// MARK: The page

extension Host {
    private func command(_ command: Command, _ element: Element) {
        self.command(command)
        write(element)
    }

    private func write(_ element: Element) {
        commands.byte(element.id.rawValue)
        commands.number(element.row)
        commands.byte(element.part.rawValue)
    }

    private func write(_ text: AppText, _ values: [[UInt8]]) {
        commands.byte(text.rawValue)
        commands.number(UInt32(values.count))
        for value in values { commands.block(value) }
    }

    /// Tells the names of everything.
    func setNames() {
        command(.setNames)
        commands.block(Name.all)
    }

    func setText(_ text: [UInt8], of element: Element) {
        command(.setText, element)
        commands.block(text)
    }

    /// Shows a text in the language of the page; values stand where it says `{1}` and so on.
    func setText(_ text: AppText, _ values: [[UInt8]] = [], of element: Element) {
        command(.setWords, element)
        commands.byte(Name.none.rawValue)
        write(text, values)
    }

    /// Sets an attribute to a text in the language of the page.
    func setAttribute(
        _ name: Name,
        to text: AppText,
        _ values: [[UInt8]] = [],
        of element: Element
    ) {
        command(.setWords, element)
        commands.byte(name.rawValue)
        write(text, values)
    }

    /// - Parameter keepsCaret: Whether caret and selection stay where they are.
    func setValue(_ value: [UInt8], of element: Element, keepsCaret: Bool = false) {
        setValue(value, of: element, mode: keepsCaret ? 1 : 0)
    }

    /// Gives a field a text, unless a person is writing another one there. Then the field gets the latest
    /// text that it was offered when the person leaves the field as it was.
    func offerValue(_ value: [UInt8], to element: Element) {
        setValue(value, of: element, mode: 2)
    }

    private func setValue(_ value: [UInt8], of element: Element, mode: UInt8) {
        command(.setValue, element)
        commands.block(value)
        commands.byte(mode)
    }

    func setAttribute(_ name: Name, to value: [UInt8], of element: Element) {
        command(.setAttribute, element)
        commands.byte(name.rawValue)
        commands.block(value)
    }

    func setAttribute(_ name: Name, to value: StaticString, of element: Element) {
        setAttribute(name, to: utf8(value), of: element)
    }

    func removeAttribute(_ name: Name, of element: Element) {
        command(.removeAttribute, element)
        commands.byte(name.rawValue)
    }

    func setHidden(_ isHidden: Bool, _ id: Name) {
        setHidden(isHidden, Element(id))
    }

    func setHidden(_ isHidden: Bool, _ element: Element) {
        isHidden
            ? setAttribute(.hidden, to: [], of: element)
            : removeAttribute(.hidden, of: element)
    }

    /// Adds a copy of a template to a list, before another row or at the end.
    func addRow(_ key: UInt32, to list: Name, from template: Name, before: UInt32) {
        command(.addRow, Element(list))
        commands.byte(template.rawValue)
        commands.number(key)
        commands.number(before)
    }

    func remove(_ element: Element) { command(.remove, element) }

    func focus(_ element: Element) { command(.focus, element) }

    /// Reads the value of a field, before any other event.
    func readValue(of element: Element, _ then: @escaping ([UInt8]) -> Void) {
        request(.readValue) { answer in
            guard case .done(let reader) = answer else { return then([]) }
            then(reader.block())
        }
        write(element)
    }

    func setOpen(_ isOpen: Bool, dialog: Name) { setOpen(isOpen, Element(dialog)) }

    /// Opens or closes a dialog, or opens a disclosure, whose summary then gets the focus.
    func setOpen(_ isOpen: Bool, _ element: Element) {
        command(.setOpen, element)
        commands.byte(isOpen ? 1 : 0)
    }

    /// Loads the texts of a language and shows those that `data-text` and `data-label` name.
    func loadWords(_ language: Language, _ then: @escaping (Answer) -> Void) {
        request(.loadWords, then)
        commands.block(language.tag)
    }

    /// Shows a moment as the page's language writes it, where a text says `{1}`, or alone.
    func setTime(_ time: WallTime, in text: AppText? = nil, of element: Element) {
        command(.setTime, element)
        commands.fraction(Double(time.millisecondsSinceEpoch))
        commands.byte(text?.rawValue ?? 255)
    }

    func setClass(_ name: Name, _ isOn: Bool, of element: Element) {
        command(.setClass, element)
        commands.byte(name.rawValue)
        commands.byte(isOn ? 1 : 0)
    }

    func setChecked(_ isChecked: Bool, _ element: Element) {
        command(.setChecked, element)
        commands.byte(isChecked ? 1 : 0)
    }

    /// Changes the page's address; `replacing` the present entry of the browser's history or after
    /// it.
    func navigate(to location: [UInt8], replacing: Bool) {
        command(.navigate)
        commands.block(location)
        commands.byte(replacing ? 1 : 0)
    }

    /// Shows another page, in a window of its own.
    func open(_ address: StaticString) {
        command(.openPage)
        commands.block(address)
    }

    /// Makes all commands of this event visible in one transition.
    func beginTransition() {
        hasTransition = true
    }
}

// MARK: The device

extension Host {
    /// Sets the timer to fire once after `milliseconds`; `nil` stops it.
    func setTimer(_ timer: Timer, _ milliseconds: Int64?) {
        command(.setTimer)
        commands.number(timer.rawValue)
        commands.fraction(Double(milliseconds ?? -1))
    }

    /// Opens the database, after the migrations that it has not had.
    ///
    /// - Parameter migrations: The stores that each version adds. The number of them is the version.
    func openDatabase(_ name: StaticString, _ migrations: [[StaticString]]) {
        command(.openDatabase)
        commands.block(name)
        commands.number(UInt32(migrations.count))
        for stores in migrations {
            commands.number(UInt32(stores.count))
            for store in stores { commands.block(store) }
        }
    }

    /// Performs steps all together or not at all. The answer comes when they are complete, which
    /// with ``Durability/strict`` means on the disk.
    func perform(
        _ transaction: Transaction,
        _ durability: Durability,
        _ then: @escaping (Answer) -> Void
    ) {
        store(.perform, transaction, then)
        write(transaction, durability)
    }

    /// Performs steps that only read.
    ///
    /// - Parameters:
    ///   - then: Gets the findings, to be read by the slots of the steps.
    ///   - failed: Called instead when the database could not be read.
    func read(
        _ transaction: Transaction,
        _ then: @escaping (Findings) -> Void,
        orElse failed: @escaping () -> Void = {}
    ) {
        perform(transaction, .read) { answer in
            guard case .done(let reader) = answer else { return failed() }
            then(Findings(reader))
        }
    }

    /// Reads one record.
    ///
    /// - Parameter then: Gets `nil` when there is no such record, or the database could not be read.
    func read(_ key: [UInt8], from records: Records, _ then: @escaping (Record?) -> Void) {
        var read = Transaction()
        let record = read.get(key, from: records)
        self.read(read) { found in
            then(found[record])
        } orElse: {
            then(nil)
        }
    }

    /// Like ``perform(_:_:_:)``, for steps that find nothing; then empties a field and gives it the
    /// focus, if `text` is all that it holds.
    ///
    /// - Parameter then: Gets, before any other event, 1 if the field was emptied, else 0 and the
    ///   field's text.
    func perform(
        _ transaction: Transaction,
        _ durability: Durability,
        thenTaking text: [UInt8],
        from field: Element,
        _ then: @escaping (Answer) -> Void
    ) {
        store(.performThenTake, transaction, then)
        write(field)
        commands.block(text)
        write(transaction, durability)
    }

    private func store(
        _ command: Command,
        _ transaction: Transaction,
        _ then: @escaping (Answer) -> Void
    ) {
        let transitions = transaction.transitions
        request(command) { answer in
            if answer.isDone { self.log.add(transitions, at: self.clock.now) }
            then(answer)
        }
    }

    private func write(_ transaction: Transaction, _ durability: Durability) {
        commands.byte(durability.rawValue)
        commands.number(transaction.count)
        commands.append(transaction.steps)
    }

    /// Makes the key unless there is one; the answer lists the names of all.
    func makeKey(named name: [UInt8], _ then: @escaping (Answer) -> Void) {
        request(.makeKey, then)
        commands.block(name)
    }

    func seal(_ records: [KeyedBytes], _ then: @escaping (Answer) -> Void) {
        request(.seal, then)
        write(records)
    }

    func open(_ records: [KeyedBytes], _ then: @escaping (Answer) -> Void) {
        request(.open, then)
        write(records)
    }

    private func write(_ records: [KeyedBytes]) {
        commands.number(UInt32(records.count))
        for record in records {
            commands.block(record.key)
            commands.block(record.associatedData)
            commands.block(record.bytes)
        }
    }

    func exchange(_ request: RelayRequest, _ then: @escaping (Exchange) -> Void) {
        self.request(.exchange) { then(Exchange($0)) }
        commands.block(request.method)
        commands.block(request.path)
        commands.block(request.token)
        commands.block(request.body)
        let condition = request.precondition?.field
        commands.block(condition?.name ?? "")
        commands.block(condition?.value ?? [])
        commands.number(UInt32(ExchangeTime().total(for: request.body.count).count))
        commands.number(UInt32(RelayLimits.answerLength))
    }

    /// Takes a lock that one page or worker at a time can hold. The end of the holder frees it.
    ///
    /// - Parameter ifAvailable: Whether to fail when another page holds the lock for two more
    ///   seconds, instead of waiting: a page that has just died may still seem to hold it.
    func takeLock(
        _ name: [UInt8],
        ifAvailable: Bool,
        _ then: @escaping (Answer) -> Void
    ) {
        request(.takeLock, then)
        commands.block(name)
        commands.byte(ifAvailable ? 1 : 0)
    }

    func freeLock(_ name: [UInt8]) {
        command(.freeLock)
        commands.block(name)
    }

    /// Tells the other pages and the service worker.
    func ring(_ bell: Bell) {
        command(.ring)
        commands.block([bell.rawValue])
    }

    func copy(_ text: [UInt8], _ then: @escaping (Answer) -> Void) {
        request(.copy, then)
        commands.block(text)
    }

    /// Asks the browser to wake the service worker when there is a network, page or no page.
    func registerSync() {
        command(.registerSync)
        commands.block("drain")
    }

    /// The day of the person's own calendar.
    func readDay(_ then: @escaping (CalendarDay) -> Void) {
        request(.readDay) { answer in
            guard case .done(let reader) = answer else { return }
            let (year, month, day) = (reader.number(), reader.number(), reader.number())
            then(CalendarDay(year: Int(year), month: Int(month), day: Int(day)))
        }
    }

    /// The offsets at which the characters of a line end, as a person counts characters.
    func readCharacterEnds(of line: [UInt8], _ then: @escaping ([Int]) -> Void) {
        request(.readCharacterEnds) { answer in
            guard case .done(let reader) = answer else { return then([line.count]) }
            then((0..<reader.number()).map { _ in Int(reader.number()) })
        }
        commands.block(line)
    }

    /// Asks the browser not to delete stored records when space runs short.
    func persist(_ then: @escaping (Answer) -> Void) { request(.persist, then) }

    func reload() { command(.reload) }

    func activateUpdate() { command(.activateUpdate) }

    func finish(_ request: UInt32, isDone: Bool) {
        command(.finish)
        commands.number(request)
        commands.byte(isDone ? 1 : 0)
    }

    func registerWorker() { command(.registerWorker) }

    /// Shows notifications that memos did not arrive, and takes back those of all other memos.
    ///
    /// - Parameters:
    ///   - failures: The entries of the history of which there are to be notifications.
    ///   - new: The keys of those whose notifications are to be shown. The others stay, if they are there.
    ///   - then: Gets the person's permission; `nil` when the browser has not taken them all.
    func notify(
        of failures: [Record],
        new: [[UInt8]],
        in language: Language,
        _ then: @escaping (NoticePermission?) -> Void
    ) {
        request(.notify) { answer in
            guard case .done(let reader) = answer else { return then(nil) }
            then(NoticePermission(rawValue: reader.number()))
        }
        commands.block(language.tag)
        commands.byte(AppText.notArrived.rawValue)
        commands.byte(AppText.resend.rawValue)
        commands.number(UInt32(failures.count))
        for failure in failures {
            commands.block(OperationID(bytes: failure.key)?.text ?? [])
            // Bytes that cannot be read cannot be sent again.
            var kind: UInt8 = 2
            if case .quarantined? = HistoryHead(decoding: failure.head)?.status { kind = 1 }
            commands.byte(new.contains(failure.key) ? kind : 0)
        }
    }

    /// Asks the person whether the app may show notifications.
    func askToNotify(_ then: @escaping (Answer) -> Void) { request(.askToNotify, then) }
}

/// The person's permission for notifications.
package enum NoticePermission: UInt32 {
    /// Refused, or the browser has no notifications.
    case refused = 0
    case given
    case unasked
}

/// A message to the other pages and the service worker.
enum Bell: UInt8 {
    /// Something was enqueued or made eligible.
    case work = 1
    /// Stored records have changed: read again the records on the screen.
    case change
    /// Account or settings have changed.
    case account
    /// Everything was wiped.
    case restart
    /// A revision of the shared records is stored.
    case shared
}

enum Durability: UInt8 {
    case read = 0
    /// In the hands of the system: survives the browser's end, not a power cut.
    case relaxed
    /// On the disk.
    case strict
}

/// Bytes for the host's cipher: to be sealed, or sealed as `nonce | ciphertext | tag`.
struct KeyedBytes {
    let key: [UInt8]
    let associatedData: [UInt8]
    let bytes: [UInt8]
}
