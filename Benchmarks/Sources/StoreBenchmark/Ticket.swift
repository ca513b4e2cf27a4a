import StoreCore

/// The entity that all scenarios use: two words, two numbers and a text.
struct Ticket: Entity, Sendable {
    let id: EntityID<Ticket>
    var seat: Int
    var hall: Int
    var note: String

    typealias RawID = UInt64

    init(number: Int) {
        id = EntityID(UInt64(number))
        seat = number &* 2_654_435_761 % 1_000_003
        hall = number % 100
        note = "nothing to note of number \(number)"
    }

    enum BySeat: IndexOrder {
        static func key(of ticket: Ticket) -> Int? { ticket.seat }
    }

    enum ByHall: IndexGrouping {
        static func group(of ticket: Ticket) -> Int? { ticket.hall }
        static func key(of ticket: Ticket) -> Int? { ticket.seat }
    }

    static func all(_ count: Int) -> [Ticket] { (0..<count).map(Ticket.init(number:)) }
}

struct TicketIndexes: EntityIndexes, Sendable {
    var bySeat = OrderedIndex<Ticket.BySeat>()
    var byHall = GroupedIndex<Ticket.ByHall>()

    mutating func update(_ change: EntityChange<Ticket>) {
        bySeat.update(change)
        byHall.update(change)
    }
}

struct BoxOffice: Sendable {
    var tickets = EntityTable<Ticket, TicketIndexes>()
    var name = "box office"

    init(_ tickets: [Ticket]) {
        for ticket in tickets { self.tickets[ticket.id] = ticket }
    }
}
