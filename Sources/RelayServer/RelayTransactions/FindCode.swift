/// Looks whether there is a code under a handle, or an address's long code, dead or alive. Writes
/// nothing.
package struct FindCode: RelayTransaction {
    private let confirmation: Confirmation

    package init(for confirmation: Confirmation) {
        self.confirmation = confirmation
    }

    package func find(in tables: some RelayReads) throws -> Bool {
        switch confirmation.code {
        case .digits(_, let handle): try tables.code(under: handle) != nil
        case .long(let code, _):
            try tables.longCode(code, of: confirmation.addressKey) != nil
        case .vouched: true
        }
    }

    package func decide(_ isThere: Bool) -> RelayDecision<Bool> { RelayDecision(isThere) }
}
