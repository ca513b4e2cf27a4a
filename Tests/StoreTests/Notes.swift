import Foundation
import StoreCore
import Synchronization

struct Memo: Entity, Sendable {
    typealias RawID = Int

    enum Status: Comparable, Sendable {
        case waiting, sent
    }

    let id: EntityID<Memo>
    var text: String
    var status = Status.waiting

    init(_ id: Int, _ text: String, status: Status = .waiting) {
        self.id = EntityID(id)
        self.text = text
        self.status = status
    }
}

enum ByStatus: IndexGrouping {
    static func group(of memo: Memo) -> Memo.Status? { memo.status }
    static func key(of memo: Memo) -> EntityID<Memo>? { memo.id }
}

struct MemoIndexes: EntityIndexes, Sendable {
    var byStatus = GroupedIndex<ByStatus>()

    mutating func update(_ change: EntityChange<Memo>) {
        byStatus.update(change)
    }
}

/// The state of the tests.
struct Notes: Sendable {
    var count = 0
    var title = ""
    var memos = EntityTable<Memo, MemoIndexes>()
}

struct Refusal: Error, Equatable {}

/// The arguments of a handler's calls, in order.
final class Record<Element: Sendable>: Sendable {
    private let kept = Mutex<[Element]>([])

    var elements: [Element] { kept.withLock { $0 } }

    func append(_ element: Element) {
        kept.withLock { $0.append(element) }
    }
}

/// Runs `body` on that many threads of their own at the same time, and waits for all.
func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
    let group = DispatchGroup()
    for index in 0..<count {
        group.enter()
        let thread = Thread {
            body(index)
            group.leave()
        }
        thread.start()
    }
    group.wait()
}
