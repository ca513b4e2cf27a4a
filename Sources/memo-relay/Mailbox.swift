import ArgumentParser
import Outbox
import RelayRules
import RelayServer

/// `memo-relay mailbox`: the mailboxes of single addresses.
struct Mailbox: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mailbox",
        abstract: "Give an address a mailbox of its own, for --mail imap:// or imaps://.",
        discussion: """
            Mails to the address, sign-in codes included, are then appended to its own mailbox on the \
            server of --mail, and mails to all other addresses to the one mailbox that the settings \
            name, if they name one. User and password are sealed in the data folder. The relay may run \
            meanwhile: a change holds from its next attempt on, and a mail that waits is tried again at \
            the time that it waits for. Whoever erases an account erases its mailbox here, too.

            Exit codes: 0; 1 if the database or the key cannot be used, or an address has no mailbox to \
            remove; 64 for a mistake in the options.
            """,
        subcommands: [Add.self, List.self, Remove.self]
    )

    struct Add: OperatorCommand {
        static let configuration = CommandConfiguration(
            abstract: "Set the mailbox of an address, in place of an earlier one.",
            discussion: """
                Reads two lines on standard input: the user's name on the server, then the password. \
                Neither is ever an argument, which other programs of the machine see.
                """
        )

        @OptionGroup var database: DatabaseOptions

        @Argument(help: "The address, which need not have an account yet.")
        var address: String

        @Option(help: "The folder as the server names it. By default the one of --mail.")
        var folder: String?

        func validate() throws {
            _ = try AddressArgument.mailAddress(address)
            guard folder.map(IMAPMailbox.isFolder) ?? true else {
                throw ValidationError(
                    "--folder takes at most 200 letters, digits and .-_/[]&+ of ASCII, and spaces."
                )
            }
        }

        func run(on store: some OperatedStore) async throws {
            let address = try AddressArgument.mailAddress(address)
            let user = try SecretLine.read("User", echoes: true)
            let password = try SecretLine.read("Password", echoes: false)
            let mailbox = OwnMailbox(
                address: address,
                user: user,
                password: password,
                folder: folder
            )
            guard let mailbox else {
                throw complain(
                    "standard input must have two lines, the user's name and the password, each of "
                        + "1 to \(OwnMailbox.longestSecret) bytes. Nothing was changed."
                )
            }
            try await store.keep(mailbox, at: OutboxClock.system.wallTime())
            print("kept: mails to the address go to its own mailbox")
        }
    }

    struct List: OperatorCommand {
        static let configuration = CommandConfiguration(
            abstract:
                "List the addresses with mailboxes of their own, without users and passwords.",
            discussion: """
                A line has the time of the last change, the address, and the folder, "-" where it is \
                the one of --mail. A mailbox that no key opens has "?" for its address: its mails wait \
                until it is set again.
                """
        )

        @OptionGroup var database: DatabaseOptions

        func run(on store: some OperatedStore) async throws {
            for mailbox in try await store.ownMailboxes() {
                let address = mailbox.address?.text ?? "?"
                print("\(mailbox.changedAt)\t\(address)\t\(mailbox.folder ?? "-")")
            }
        }
    }

    struct Remove: OperatorCommand {
        static let configuration = CommandConfiguration(
            abstract: "Forget the mailbox of an address.",
            discussion: """
                Mails to the address that wait go to the mailbox for all from their next attempt on, or \
                wait on where there is none.
                """
        )

        @OptionGroup var database: DatabaseOptions

        @OptionGroup var argument: AddressArgument

        func run(on store: some OperatedStore) async throws {
            guard try await store.removeMailbox(of: argument.mailAddress()) else {
                throw complain("the address has no mailbox of its own. Nothing was changed.")
            }
            print("removed")
        }
    }
}
