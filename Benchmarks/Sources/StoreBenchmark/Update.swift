import HashTreeCollections
import Measurement
import Store
import StoreCore

/// An update of one of many tickets while the state before it is retained.
///
/// - Parameter moves: Whether the update moves the ticket within the ordered and the grouped index.
func updateContenders(tickets count: Int, moves: Bool) -> [Contender] {
    let all = Ticket.all(count)
    let store = Store(BoxOffice(all))
    var tree = TreeDictionary(uniqueKeysWithValues: all.map { ($0.id, $0) })
    var plain = Dictionary(uniqueKeysWithValues: all.map { ($0.id, $0) })
    return [
        contender("Store.commit, ordered and grouped index kept", all, moves) { ticket in
            let before = store.state
            store.commit { $0.tickets[ticket.id] = ticket }
            consume(before)
        },
        contender("TreeDictionary, no index", all, moves) { ticket in
            let before = tree
            tree[ticket.id] = ticket
            consume(before)
        },
        contender("Dictionary copied, no index", all, moves) { ticket in
            let before = plain
            plain[ticket.id] = ticket
            consume(before)
        },
    ]
}

private func contender(
    _ name: String,
    _ tickets: [Ticket],
    _ moves: Bool,
    update: @escaping (Ticket) -> Void
) -> Contender {
    var updates = Updates(of: tickets, moves: moves)
    return Contender(name) { rounds in
        for _ in 0..<rounds { update(updates.next()) }
    }
}

/// The updated tickets, made beforehand and in no order that a cache would like. Every contender
/// has its own, and each ticket differs from what stands under its id.
private struct Updates {
    private var passes: [[Ticket]]
    private var position = 0

    init(of tickets: [Ticket], moves: Bool) {
        passes = (1...3).map { pass in
            tickets.map { ticket in
                var ticket = ticket
                ticket.note = "note \(pass) of number \(ticket.id.rawValue)"
                if moves {
                    ticket.seat = (ticket.seat + pass * 333_337) % 1_000_003
                    ticket.hall = (ticket.hall + pass) % 100
                }
                return ticket
            }
        }
    }

    mutating func next() -> Ticket {
        let tickets = passes[position / passes[0].count % passes.count]
        // A prime that divides no power of ten visits every ticket once in a pass.
        let ticket = tickets[position % tickets.count * 7919 % tickets.count]
        position += 1
        return ticket
    }
}
