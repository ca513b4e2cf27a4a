/// The texts of the terminal's help, in ten languages.
///
/// The commands are defined in English; a text here is found by its English words, in which an
/// apostrophe is typographic. Commands, options and file names keep their names in every language.
public enum HelpText: UInt8, CaseIterable, Sendable {
    // The frame of a page of help.
    case helpUsage
    case helpArguments
    case helpOptions
    case helpSubcommands
    /// `{1}` is the value that an option has by default.
    case helpDefault
    /// Marks the command that is meant where none is named.
    case helpStandard
    /// `{1}` is a command line.
    case helpSee
    /// `{1}` is a command line.
    case helpManual
    case showHelp
    case showVersion

    // Mistakes of a command line.
    /// `{1}` is the name of an argument.
    case argumentMissing
    case limitNegative

    // The commands of memo.
    case memoCommand
    case usageCompose
    case usageWords
    case usageDashes
    case usageInput
    case usageJSON
    case usageDiscardDraft
    case sending

    // The commands of memo.
    case historyCommand
    case historyLimit
    case historyResend
    case historyShow
    case historyDelete
    case memoIdentifier
    case printJSON
    case outboxCommand
    case outboxList
    case outboxLimit
    case outboxShow
    case entry
    case outboxWatch
    case printJSONLines
    case outboxRetry
    case entryOrAll
    case outboxExport
    case outboxDelete
    case settingsCommand
    case settingLanguage
    case settingTemplate
    case settingSignature
    case settingKeyStore
    case settingRotate
    case doctorCommand
    case loginCommand
    case loginArguments
    case logoutCommand
    case syncCommand
    case devicesCommand
    case accountCommand
    case agentCommand
    case agentInstall
    case agentUninstall
    case agentStatus

    // The commands of memo-agent.
    case runCommand
    case runOnce
    case runJSON
    case agentLogin
    case signInCode
    case signInAddress
    case signInRelay
    case resultJSON
    case agentLogout
    case signOutKeeps
    case discardChanges
    case memoAgentCommand
}
