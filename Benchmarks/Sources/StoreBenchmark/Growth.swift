import AllocatedBytes
import Store

/// How much more memory is in use after `many` commits than after `few`, in bytes, with a
/// subscriber, a subscriber to one entity and a derivation alive.
func growth(few: Int, many: Int) -> Int {
    let store = Store(BoxOffice(Ticket.all(1000)))
    let ids = Ticket.all(1000).map(\.id)
    let derived = store.derived { $0.tickets[ids[0]]?.seat }
    let subscriptions = [
        store.sinkState { consumeChanges($0.version) },
        store.sinkEntity(\.tickets, ids[0]) { _ in },
        derived.sinkValue { _ in },
    ]
    func commit(_ range: Range<Int>) {
        for number in range {
            store.commit { $0.tickets[ids[number % ids.count]]?.hall = number % 100 }
        }
    }
    commit(0..<few)
    let before = Int(allocated_bytes())
    commit(few..<many)
    let after = Int(allocated_bytes())
    withExtendedLifetime(subscriptions) {}
    print("  in use after \(few) commits: \(before) bytes, after \(many): \(after) bytes")
    return after - before
}

@inline(never)
private func consumeChanges(_ version: UInt64) {}
