extension HelpText {
    var english: StaticString {
        switch self {
        case .helpUsage: "Usage:"
        case .helpArguments: "Arguments:"
        case .helpOptions: "Options:"
        case .helpSubcommands: "Commands:"
        case .helpDefault: "(default: {1})"
        case .helpStandard: "(default)"
        case .helpSee: "More about a command: {1}"
        case .helpManual: "Formats, exit codes and the environment are explained in English by: {1}"
        case .showHelp: "Show help information."
        case .showVersion: "Show the version."
        case .argumentMissing: "{1} is missing."
        case .limitNegative: "--limit must not be negative."
        case .memoCommand: "Write a memo, send it, and find it in your own inbox."
        case .usageCompose: "compose in the terminal (Ctrl-D sends, Ctrl-C leaves)"
        case .usageWords: "send the words, joined by spaces"
        case .usageDashes: "send the words, whatever they look like"
        case .usageInput: "send standard input, also: memo -"
        case .usageJSON: "print the memo’s identifier as JSON"
        case .usageDiscardDraft: "throw away the draft that the next memo would open"
        case .sending:
            """
            Sending returns when the memo is stored durably on this device; memo-agent delivers \
            it in the background. A text from standard input loses one newline at its end.
            """
        case .historyCommand: "List the memos sent from your devices, the latest first."
        case .historyLimit: "The most memos to list."
        case .historyResend: "Send a memo that did not arrive again, as a new memo."
        case .historyShow: "Show a memo as a whole, with its identifier."
        case .historyDelete:
            "Delete a memo from this device, its text too; one that waits is not sent."
        case .memoIdentifier: "The memo’s identifier, as memo history prints it."
        case .printJSON: "Print JSON."
        case .outboxCommand: "What has not left this device yet."
        case .outboxList: "List the entries."
        case .outboxLimit: "The most entries of each state to list."
        case .outboxShow: "Show an entry and its memo."
        case .entry: "The entry’s identifier, or entry:NUMBER."
        case .outboxWatch: "Print how the outbox is doing, now and after each change, until Ctrl-C."
        case .printJSONLines: "Print JSON, an object on a line."
        case .outboxRetry: "Attempt an entry at once, or all that are queued or parked."
        case .entryOrAll: "The entry’s identifier, or entry:NUMBER; all without it."
        case .outboxExport:
            "Print an entry’s stored bytes, to keep a copy of one that cannot be read."
        case .outboxDelete: "Delete an entry for good; its memo is not sent."
        case .settingsCommand: "Show the settings, or change them on all your devices."
        case .settingLanguage:
            "The language: ja, en, es, fr, de, it, pt, ko, zh-Hans, ar; auto for $LANG’s."
        case .settingTemplate: "How subjects are made."
        case .settingSignature: "What stands below each memo; - reads standard input."
        case .settingKeyStore: "Where the key is kept: file, secret-service."
        case .settingRotate: "Seal everything again under a new key."
        case .doctorCommand:
            "Show how this device is doing, and where memos go; nothing that was written."
        case .loginCommand: "Verify your address, so that memos can leave: memo login ADDRESS."
        case .loginArguments: "The address, and --relay URL."
        case .logoutCommand: "Revoke this device’s token. History, draft and outbox stay."
        case .syncCommand:
            "Bring settings, statuses and devices up to date with your other devices."
        case .devicesCommand: "List your devices, or sign one out: memo devices revoke ID."
        case .accountCommand: "Erase your account at the server: memo account delete."
        case .discardChanges: "Give up the changes of settings that the server has not confirmed."
        case .agentCommand: "Deliver what is queued, in the foreground or as a service."
        case .agentInstall:
            "Have the agent deliver without a call of memo: as a service of systemd or launchd."
        case .agentUninstall: "Remove the service; memos stay stored."
        case .agentStatus: "Show whether the service is installed and runs, and what to do."
        case .runCommand: "Deliver what is stored, then end."
        case .runOnce:
            """
            One agent runs per data folder; another one only calls it. It ends when nothing is \
            left that will be attempted. What it did is in agent.log in the data folder.
            """
        case .runJSON: "Print how the run ended as JSON."
        case .agentLogin: "Sign in: memos go to ADDRESS from then on."
        case .signInCode:
            """
            The server mails a code to ADDRESS; type it in, or give it as a line on \
            standard input. A server’s URL is https, or http on this very machine.
            """
        case .signInAddress: "The mail address that memos are to arrive at."
        case .signInRelay: "The server’s URL. Default: $MEMO_RELAY, else http://127.0.0.1:8080."
        case .resultJSON: "Print the result as JSON."
        case .agentLogout: "Sign out: the server revokes this device’s token."
        case .signOutKeeps: "History and unsent memos stay; they leave after the next login."
        case .memoAgentCommand: "Deliver memos in the background; sign in and out."
        }
    }
}
