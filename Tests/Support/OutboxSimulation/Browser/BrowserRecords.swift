import MemoCore
import OutboxCore
import SimulatedBrowser
import SyncCore
import WebClient
import WireCore

/// The memos and texts in a browser's database, read by the formats of Web/README.md.
struct BrowserRecords {
    /// A memo in outbox or history.
    struct Memo: CustomStringConvertible {
        let id: OperationID
        /// `nil` for a memo that the outbox does not hold.
        let place: Observation.OnDevice?
        /// `nil` for a memo that the history does not hold.
        let status: HistoryStatus?
        let text: Text

        var numbers: [Int] { text.numbers }

        var description: String {
            let status = status.map { String(decoding: $0.name, as: UTF8.self) } ?? "none"
            return "memos \(numbers), outbox \(place.map { "\($0)" } ?? "none"), history \(status)"
        }
    }

    struct Text {
        let whole: String
        /// Of the memos that it is put together of.
        let numbers: [Int]

        init(_ whole: String) {
            self.whole = whole
            numbers = WrittenMemo.numbers(in: whole)
        }
    }

    /// In the order of their identifiers.
    let memos: [Memo]
    /// The numbers of the memos whose texts are stored: as drafts, or in the history.
    let texts: Set<Int>
    /// The records that all devices of the person share, in the order of their stored keys.
    let shared: [SyncRecord]

    /// Records that were read before, by their keys.
    struct Known {
        /// The texts of the history: they never change.
        fileprivate var texts: [[UInt8]: Text] = [:]
        /// The shared records, with the bytes of which they were read.
        fileprivate var shared: [[UInt8]: (body: [UInt8], record: SyncRecord)] = [:]

        mutating fileprivate func read(_ record: Record, in browser: Browser) -> SyncRecord? {
            if let known = shared[record.key], known.body == record.body { return known.record }
            guard let bytes = browser.opened(record),
                let read = try? SyncRecord(decoding: bytes)
            else { return nil }
            shared[record.key] = (record.body, read)
            return read
        }
    }

    /// - Parameter known: What was read of this browser before.
    init(_ browser: Browser, known: inout Known) {
        let (outbox, history) = (browser.rows(.outbox), browser.rows(.history))
        let keys = Set(outbox.keys).union(history.keys)
        for (key, record) in history where known.texts[key] == nil {
            known.texts[key] = Text(Self.text(ofEntry: record, in: browser))
        }
        var memos: [Memo] = []
        for key in keys.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
            guard let id = OperationID(bytes: key) else { continue }
            memos.append(
                Memo(
                    id: id,
                    place: outbox[key].flatMap { Self.place($0.head) },
                    status: history[key].flatMap { Self.status($0.head) },
                    text: history[key] == nil ? Text("") : known.texts[key] ?? Text("")
                )
            )
        }
        self.memos = memos
        let drafts = browser.rows(.drafts).values.flatMap {
            WrittenMemo.numbers(in: browser.text(of: $0))
        }
        texts = Set(memos.flatMap(\.numbers) + drafts)
        // The state beside the records has a key of its own.
        shared = browser.rows(.shared).sorted { $0.key.lexicographicallyPrecedes($1.key) }
            .compactMap { $0.key == [0] ? nil : known.read($0.value, in: browser) }
    }

    /// The text of a history entry: the beginning of the text of the sealed request, whose first byte is
    /// another one here, and behind which the length of the text stands.
    private static func text(ofEntry record: Record, in browser: Browser) -> String {
        var request = Array(record.body.dropLast(8))
        guard request.first == 2 else { return "" }
        request[0] = SealedRecord.version
        let opened = browser.text(of: Record(key: record.key, head: record.head, body: request))
        guard let text = JSON(decoding: Array(opened.utf8))?["text"]?.string else { return "" }
        let length = number(bigEndian: record.body.suffix(8))
        return String(decoding: text.prefix(Int(length)), as: UTF8.self)
    }

    /// The place of an operation, by its head: state, due time, envelope.
    static func place(_ head: [UInt8]) -> Observation.OnDevice? {
        switch head.first {
        case 1: .queued
        case 2: .parked(envelope(head)?.lastError)
        case 3: .quarantined
        default: nil
        }
    }

    static func envelope(_ head: [UInt8]) -> Envelope? {
        try? Envelope(decoding: Array(head.dropFirst(9)))
    }

    /// The status of a memo, by its head: version, length of the name, name, reason.
    private static func status(_ head: [UInt8]) -> HistoryStatus? {
        guard head.count >= 2, head.count >= 2 + Int(head[1]) else { return nil }
        let end = 2 + Int(head[1])
        let reason = head.count > end ? ReasonCode(utf8: Array(head[end...])) : nil
        return HistoryStatus(name: Array(head[2..<end]), reason: reason)
    }
}
