import OutboxCore
import RelayRules
import RelayServer

/// The memos that a transaction has accepted since it got the answers to its questions: the answers are
/// amended by them, instead of asked for again.
///
/// Callers that share a transaction ask their questions in one journey to the server, before any of them
/// has written. A caller that only accepts a memo, as nearly all of them do, changes few answers, each in a way
/// that is known. After any other change the answers are old.
struct AcceptedSince {
    /// An answer is old that cannot be amended.
    struct Unclear: Error {}

    private struct Memo {
        let acceptedAt: WallTime
        let size: Int
    }

    private var memos: [MailboxID: [Memo]] = [:]
    private var identifiers: Set<OperationID> = []
    private var steps: [[UInt8]: [WallTime: Int]] = [:]
    /// Whether nothing was written at all.
    private(set) var isEmpty = true
    /// Whether only memos were accepted, and uses of devices noted, which no amended answer tells.
    private(set) var isOfMemos = true

    /// Whether the answers to questions can still be used.
    func keeps(_ questions: Questions) -> Bool {
        isEmpty || questions.asked.isEmpty || isOfMemos && questions.areAmended
    }

    /// Notes that anything may have changed.
    mutating func addOthers() { (isEmpty, isOfMemos) = (false, false) }

    /// Notes what a decision writes.
    mutating func add(_ writes: [RelayWrite]) {
        for write in writes {
            isEmpty = false
            switch write {
            case .queue, .use: break
            case .memo(let memo, _):
                identifiers.insert(memo.id)
                memos[memo.mailbox, default: []]
                    .append(Memo(acceptedAt: memo.acceptedAt, size: memo.size))
            case .count(let key, let steps):
                self.steps[key, default: [:]][steps.current, default: 0] += 1
            default: isOfMemos = false
            }
        }
    }

    /// - Throws: ``Unclear`` for a memo under whose identifier one was accepted since.
    func check(_ id: OperationID) throws(Unclear) {
        guard !identifiers.contains(id) else { throw Unclear() }
    }

    /// The use of a counter together with the memos.
    func amended(_ use: MemoUse, of counter: MemoQuota.Counter) -> MemoUse {
        switch counter {
        case .accepted(let mailbox, let window):
            let counted = memos[mailbox, default: []].filter { window.contains($0.acceptedAt) }
            return use.adding(
                counted.count,
                bytes: counted.reduce(0) { $0 + $1.size },
                oldest: counted.map(\.acceptedAt).min()
            )
        case .waiting(let mailbox):
            let waiting = memos[mailbox, default: []]
            return use.adding(waiting.count, bytes: waiting.reduce(0) { $0 + $1.size }, oldest: nil)
        case .stepped(let key, let steps):
            // A step whose row an accepted memo has taken is not in the window: see `RateSteps/rows`.
            let counted = self.steps[key, default: [:]].filter { steps.window.contains($0.key) }
            return use.adding(
                counted.values.reduce(0, +),
                bytes: 0,
                oldest: counted.keys.min()
            )
        }
    }
}

extension MemoUse {
    fileprivate func adding(_ memos: Int, bytes: Int, oldest: WallTime?) -> MemoUse {
        MemoUse(
            memos: self.memos + memos,
            bytes: self.bytes + bytes,
            oldest: [self.oldest, oldest].compactMap { $0 }.min()
        )
    }
}
