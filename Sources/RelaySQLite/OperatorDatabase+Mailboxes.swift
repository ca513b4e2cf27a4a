import Outbox
public import RelayServer

extension OperatorDatabase {
    public func ownMailboxes() throws(OperatorError) -> [ListedMailbox] {
        try readKeys()
        return try read { try tables(in: $0).ownMailboxes() }
    }
}
