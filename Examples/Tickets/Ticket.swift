/// A waiter's note for the kitchen.
struct Ticket: Codable, Equatable, Sendable {
    /// The longest text that the paper has room for, in bytes.
    static let longestText = 40

    let table: Int
    let text: String
}
