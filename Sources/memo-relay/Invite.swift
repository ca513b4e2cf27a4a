import ArgumentParser
import Outbox
import OutboxCore
import RelayRules
import RelayServer

/// `memo-relay invite`: the addresses that may sign up whatever `--sign-up` says.
struct Invite: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "invite",
        abstract: "Let an address make an account, whatever --sign-up says.",
        discussion: """
            "memo-relay invite max@example.org" invites; nobody is mailed. The person then signs in as \
            anybody does, with the address as it is invited, in any case. An invitation holds for 30 days \
            and for one account, of which there can be a thousand. The relay may run meanwhile. Strangers \
            get the same answers for an address that is invited, that has an account, and that has \
            neither.

            Exit codes: 0; 1 if the database or the key cannot be used, or nothing was changed; 64 for a \
            mistake in the options.
            """,
        subcommands: [Add.self, List.self, Withdraw.self],
        defaultSubcommand: Add.self
    )

    struct Add: OperatorCommand {
        static let configuration = CommandConfiguration(
            abstract: "Invite an address, or invite it anew."
        )

        @OptionGroup var database: DatabaseOptions

        @OptionGroup var argument: AddressArgument

        func run(on store: some OperatedStore) async throws {
            let now = OutboxClock.system.wallTime()
            switch try await store.invite(argument.mailAddress(), at: now) {
            case .invited: print("invited until \(now.advanced(by: Invitation.lifetime))")
            case .hasAccount:
                throw complain("the address has an account. It needs no invitation.")
            case .tooMany:
                throw complain(
                    "there are \(Invitation.most) invitations that nobody has used. Withdraw one "
                        + "first. Nothing was changed."
                )
            }
        }
    }

    struct List: OperatorCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the invitations that nobody has used, with the time of each."
        )

        @OptionGroup var database: DatabaseOptions

        func run(on store: some OperatedStore) async throws {
            let now = OutboxClock.system.wallTime()
            for invitation in try await store.invitations(at: now) {
                print("\(invitation.invitedAt)\t\(invitation.address?.text ?? "?")")
            }
        }
    }

    struct Withdraw: OperatorCommand {
        static let configuration = CommandConfiguration(
            abstract: "Withdraw an invitation: from now on no code makes an account of the address."
        )

        @OptionGroup var database: DatabaseOptions

        @OptionGroup var argument: AddressArgument

        func run(on store: some OperatedStore) async throws {
            guard try await store.withdrawInvitation(of: argument.mailAddress()) else {
                throw complain("the address is not invited. Nothing was changed.")
            }
            print("withdrawn")
        }
    }
}
