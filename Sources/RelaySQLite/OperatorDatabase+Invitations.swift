public import OutboxCore
import RelayRules
public import RelayServer

extension OperatorDatabase {
    public func invitations(at now: WallTime) throws(OperatorError) -> [ListedInvitation] {
        try readKeys()
        return try read { database in
            try tables(in: database).listedInvitations(after: Invitation.lastVoid(at: now))
        }
    }
}
