#if os(Linux)
    import ArgumentParser
    import MemoDelivery

    struct KeyringCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "keyring",
            abstract: "Answer one question of memo about the key in the person's keyring.",
            discussion: "Standard input is a socket of the program that asks.",
            shouldDisplay: false
        )

        func run() throws {
            guard KeyringService.answer(on: 0) else { throw ExitCode(64) }
        }
    }
#endif
