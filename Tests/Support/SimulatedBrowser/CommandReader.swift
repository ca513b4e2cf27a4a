import MemoTexts
import WebClient

/// A command with its arguments, as the host reads it.
enum Instruction {
    case text(Element, [UInt8])
    case words(Element, attribute: Name, AppText, [[UInt8]])
    case value(Element, [UInt8])
    case attribute(Element, Name, [UInt8])
    case removeAttribute(Element, Name)
    case addRow(Name, key: UInt32, before: UInt32)
    case remove(Element)
    case focus(Name)
    case read(UInt32, Element)
    case done(UInt32)
    case timer(UInt32, Double)
    case transaction(UInt32, UInt8, [TransactionStep], taking: (field: Name, text: [UInt8])?)
    case makeKey(UInt32, [UInt8])
    case seal(UInt32, [CipherBytes])
    case open(UInt32, [CipherBytes])
    case exchange(UInt32, NetworkRequest)
    case lock(UInt32, [UInt8], ifAvailable: Bool)
    case free([UInt8])
    case ring([UInt8])
    case copy(UInt32, String)
    case finish(UInt32, Bool)
    case reload
    case activate
    case register
    case dialog(Element, isOpen: Bool)
    case navigate(String)
    case sync
    case persist(UInt32)
    case day(UInt32)
    case ends(UInt32, [UInt8])
    case window(String)
    case notify(UInt32, [(id: String, kind: UInt8)])
    case askToNotify(UInt32)
    case nothing
}

/// Bytes for the cipher, and what they are bound to.
struct CipherBytes {
    let key: [UInt8]
    let associatedData: [UInt8]
    let bytes: [UInt8]
}

/// One step of a transaction.
struct TransactionStep {
    let kind: Step
    let store: [UInt8]
    var blocks: [[UInt8]] = []
    var byHead = false
    var isDescending = false
    var withBody = false
    var limit: UInt32 = 0

    func perform(on browser: Browser) -> (count: Int, records: [Record]) {
        var rows = browser.stores[store] ?? [:]
        defer { browser.stores[store] = rows }
        switch kind {
        case .put: rows[blocks[0]] = Record(key: blocks[0], head: blocks[1], body: blocks[2])
        case .delete: rows[blocks[0]] = nil
        case .setHead:
            if let old = rows[blocks[0]], blocks[2].isEmpty || blocks[2] == old.head,
                blocks[3].isEmpty || blocks[3] != old.head
            {
                rows[blocks[0]] = Record(key: old.key, head: blocks[1], body: old.body)
            }
        case .get:
            let found = rows[blocks[0]].map { [$0] } ?? []
            return (found.count, found)
        case .find:
            var found = matching(rows)
            if isDescending { found.reverse() }
            found = Array(found.prefix(Int(limit)))
            if !withBody {
                found = found.map { Record(key: $0.key, head: $0.head, body: []) }
            }
            return (found.count, found)
        case .count: return (matching(rows).count, [])
        case .require: return (0, [])
        case .clear:
            rows = [:]
            if store == "key".bytes { browser.keys = [] }
        case .readKeys:
            return (browser.keys.count, browser.keys.map { Record(key: $0, head: [], body: []) })
        }
        return (0, [])
    }

    private func matching(_ rows: Browser.Rows) -> [Record] {
        func place(_ record: Record) -> [UInt8] {
            byHead || kind == .count ? record.head : record.key
        }
        return rows.values.filter { record in
            (blocks[0].isEmpty || !place(record).lexicographicallyPrecedes(blocks[0]))
                && (blocks[1].isEmpty || place(record).lexicographicallyPrecedes(blocks[1]))
        }.sorted { left, right in
            place(left) == place(right)
                ? left.key.lexicographicallyPrecedes(right.key)
                : place(left).lexicographicallyPrecedes(place(right))
        }
    }
}

/// Reads commands as the host script does. An unknown one traps: the two would be out of step.
struct CommandReader {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    mutating func next() -> Instruction? {
        guard position < bytes.count else { return nil }
        let first = byte()
        guard let command = Command(rawValue: first) else {
            preconditionFailure("the host knows no command \(first)")
        }
        switch command {
        case .setText: return .text(element(), block())
        case .setValue:
            defer { _ = byte() }
            return .value(element(), block())
        case .setAttribute: return .attribute(element(), name(), block())
        case .removeAttribute: return .removeAttribute(element(), name())
        case .addRow:
            let list = element().id
            _ = name()
            return .addRow(list, key: number(), before: number())
        case .remove: return .remove(element())
        case .focus: return .focus(element().id)
        case .readValue: return .read(number(), element())
        case .setOpen: return .dialog(element(), isOpen: byte() == 1)
        case .setClass, .setChecked: return skip(command)
        case .navigate:
            defer { _ = byte() }
            return .navigate(text())
        case .loadWords:
            defer { _ = block() }
            return .done(number())
        case .setTime:
            _ = (element(), fraction(), byte())
            return .nothing
        case .openPage: return .window(text())
        case .setNames, .openDatabase: return skip(command)
        case .setWords:
            let target = element()
            let attribute = name()
            let text = AppText(rawValue: byte())!
            return .words(target, attribute: attribute, text, list { $0.block() })
        case .beginTransition: return .nothing
        case .activateUpdate: return .activate
        case .registerWorker: return .register
        case .setTimer: return .timer(number(), fraction())
        case .perform:
            return .transaction(number(), byte(), list { $0.step() }, taking: nil)
        case .performThenTake:
            let (request, field, text) = (number(), element().id, block())
            return .transaction(request, byte(), list { $0.step() }, taking: (field, text))
        case .makeKey: return .makeKey(number(), block())
        case .seal: return .seal(number(), list { $0.keyed() })
        case .open: return .open(number(), list { $0.keyed() })
        case .exchange:
            return .exchange(
                number(),
                NetworkRequest(
                    method: text(),
                    path: text(),
                    token: text(),
                    body: block(),
                    condition: (name: text(), value: text()),
                    bounds: ExchangeBounds(time: number(), answerLength: number())
                )
            )
        case .takeLock: return .lock(number(), block(), ifAvailable: byte() == 1)
        case .freeLock: return .free(block())
        case .ring: return .ring(block())
        case .copy: return .copy(number(), text())
        case .registerSync:
            _ = block()
            return .sync
        case .persist: return .persist(number())
        case .reload: return .reload
        case .finish: return .finish(number(), byte() == 1)
        case .readDay: return .day(number())
        case .readCharacterEnds: return .ends(number(), block())
        case .notify:
            let (request, _, _, _) = (number(), block(), byte(), byte())
            return .notify(request, list { (id: $0.text(), kind: $0.byte()) })
        case .askToNotify: return .askToNotify(number())
        }
    }

    private mutating func skip(_ command: Command) -> Instruction {
        switch command {
        case .setClass: _ = (element(), name(), byte())
        case .setChecked: _ = (element(), byte())
        case .openDatabase: _ = (block(), list { $0.list { $0.block() } })
        default: _ = block()
        }
        return .nothing
    }

    private mutating func step() -> TransactionStep {
        var step = TransactionStep(kind: Step(rawValue: byte())!, store: block())
        switch step.kind {
        case .put, .setHead: step.blocks = [block(), block(), block(), block()]
        case .delete, .get: step.blocks = [block()]
        case .find:
            (step.byHead, step.isDescending, step.withBody) = (
                byte() == 1, byte() == 1, byte() == 1
            )
            step.blocks = [block(), block()]
            step.limit = number()
        case .count: step.blocks = [block(), block()]
        case .require: step.blocks = [block(), block()]
        case .clear, .readKeys: break
        }
        return step
    }

    private mutating func keyed() -> CipherBytes {
        CipherBytes(key: block(), associatedData: block(), bytes: block())
    }

    private mutating func element() -> Element {
        Element(name(), row: number(), part: name())
    }

    private mutating func name() -> Name { Name(rawValue: byte())! }

    private mutating func byte() -> UInt8 {
        defer { position += 1 }
        return bytes[position]
    }

    private mutating func number() -> UInt32 {
        (0..<4).reduce(0) { value, index in value | UInt32(byte()) << UInt32(8 * index) }
    }

    private mutating func fraction() -> Double {
        let (low, high) = (UInt64(number()), UInt64(number()))
        return Double(bitPattern: high << 32 | low)
    }

    private mutating func block() -> [UInt8] {
        let length = Int(number())
        defer { position += length }
        return Array(bytes[position..<position + length])
    }

    private mutating func text() -> String { String(decoding: block(), as: UTF8.self) }

    private mutating func list<Item>(_ read: (inout Self) -> Item) -> [Item] {
        (0..<number()).map { _ in read(&self) }
    }
}
