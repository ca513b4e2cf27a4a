import Measurement
import OpenCombine
import Store
import StoreCore

/// A commit that concerns one of many subscribers. Each subscriber follows one ticket.
///
/// The peers keep their tickets in the same table, so that only the notification differs.
func wakeContenders(subscribers count: Int) -> [Contender] {
    let office = BoxOffice(Ticket.all(count))
    let ids = Ticket.all(count).map(\.id)
    return [ours(office, ids), broadcast(office, ids), openCombine(office, ids)]
}

private func ours(_ office: BoxOffice, _ ids: [EntityID<Ticket>]) -> Contender {
    let store = Store(office)
    let woken = WakeCount()
    let subscriptions = ids.map { id in
        store.sinkEntity(\.tickets, id) { _ in woken.count += 1 }
    }
    var next = 0
    return Contender("Store.commit, \(ids.count) subscribers to one entity each") { rounds in
        let before = woken.count
        for _ in 0..<rounds {
            next += 1
            let id = ids[next % ids.count]
            let seat = next
            store.commit { $0.tickets[id]?.seat = seat }
        }
        precondition(woken.count - before == rounds, "not woken exactly once a commit")
        consume(subscriptions)
    }
}

private func broadcast(_ office: BoxOffice, _ ids: [EntityID<Ticket>]) -> Contender {
    let store = BroadcastStore(office)
    let woken = WakeCount()
    for id in ids {
        store.subscribe({ $0.tickets[id]?.seat }, { _ in woken.count += 1 })
    }
    var next = 0
    return Contender("ReSwift-like broadcast") { rounds in
        let before = woken.count
        for _ in 0..<rounds {
            next += 1
            let seat = next
            store.dispatch { $0.tickets[ids[next % ids.count]]?.seat = seat }
        }
        precondition(woken.count - before == rounds, "not woken exactly once a commit")
    }
}

private func openCombine(_ office: BoxOffice, _ ids: [EntityID<Ticket>]) -> Contender {
    let subject = CurrentValueSubject<BoxOffice, Never>(office)
    let woken = WakeCount()
    let subscriptions = ids.map { id in
        subject.map { $0.tickets[id]?.seat }.removeDuplicates().sink { _ in woken.count += 1 }
    }
    var next = 0
    return Contender("OpenCombine CurrentValueSubject + removeDuplicates") { rounds in
        let before = woken.count
        for _ in 0..<rounds {
            next += 1
            subject.value.tickets[ids[next % ids.count]]?.seat = next
        }
        precondition(woken.count - before == rounds, "not woken exactly once a commit")
        consume(subscriptions)
    }
}

/// Counts on one thread.
private final class WakeCount: @unchecked Sendable {
    var count = 0
}
