import OutboxCore

/// The drafts of all pages, and the texts that other apps have shared.
struct DraftsRepository {
    /// How many shared texts wait at most.
    private static let sharesKept: UInt32 = 16

    let host: Host

    /// Stores a page's draft, if there is text, without the drafts whose text it holds.
    ///
    /// - Parameter draft: The page's own record, which is deleted and put again.
    func write(_ draft: Record?, spending spent: SpentDrafts, _ then: @escaping (Bool) -> Void) {
        var write = Transaction()
        spent.delete(in: &write)
        if let draft { write.put(draft, in: .drafts) }
        host.perform(write, .relaxed) { then($0.isDone) }
    }

    /// Reads the draft of a page.
    func read(_ key: [UInt8], _ then: @escaping (Record?) -> Void) {
        host.read(key, from: .drafts, then)
    }

    // MARK: Shared texts

    /// Reads the keys of the shared texts, the oldest first.
    func readShareKeys(_ then: @escaping ([[UInt8]]) -> Void) {
        var read = Transaction()
        let shares = read.find(in: .shares, by: .head, limit: Self.sharesKept, bodies: false)
        host.read(read) { found in then(found[shares].map { $0.key }) }
    }

    /// Reads one shared text.
    func readShare(_ key: [UInt8], _ then: @escaping (Record?) -> Void) {
        host.read(key, from: .shares, then)
    }

    /// Reads all shared texts.
    func readShares(
        _ then: @escaping ([Record]) -> Void,
        orElse failed: @escaping () -> Void
    ) {
        var read = Transaction()
        let shares = read.find(in: .shares, by: .key, limit: Self.sharesKept, bodies: true)
        host.read(read, { found in then(found[shares]) }, orElse: failed)
    }

    /// Looks whether one more shared text is kept.
    func hasRoomForShare(_ then: @escaping (Bool) -> Void) {
        var read = Transaction()
        let shares = read.count(in: .shares)
        host.read(read) { found in
            then(found[shares] < Int(Self.sharesKept))
        } orElse: {
            then(false)
        }
    }

    func add(share: Record, _ then: @escaping (Bool) -> Void) {
        var write = Transaction()
        write.put(share, in: .shares)
        host.perform(write, .strict) { then($0.isDone) }
    }

    func delete(_ sources: [DraftSource], _ then: @escaping () -> Void = {}) {
        var write = Transaction()
        SpentDrafts(sources: sources).delete(in: &write)
        host.perform(write, .relaxed) { _ in then() }
    }
}

/// A record whose text may come into the field, by its key.
enum DraftSource: Hashable {
    /// The draft of a page that has ended.
    case draft([UInt8])
    /// A text that another app shared.
    case share([UInt8])

    var draft: [UInt8]? {
        if case .draft(let key) = self { key } else { nil }
    }

    var isShare: Bool { draft == nil }
}

/// The records whose text is in the field. They are deleted with the transaction that stores the
/// text elsewhere.
struct SpentDrafts {
    /// The record of the page itself.
    var own: OperationID?
    let sources: [DraftSource]

    func delete(in write: inout Transaction) {
        if let own { write.delete(own.bytes, from: .drafts) }
        for source in sources {
            switch source {
            case .draft(let key): write.delete(key, from: .drafts)
            case .share(let key): write.delete(key, from: .shares)
            }
        }
    }
}
