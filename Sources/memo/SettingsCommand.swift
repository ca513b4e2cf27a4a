import ArgumentParser
import MemoCore
import MemoKit
import MemoProcesses
import MemoTerminal
import MemoTexts
import WireCore

struct SettingsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "settings",
        abstract: "Show the settings, or change them on all your devices.",
        discussion: """
            Language, subject template and signature are those of all your devices: the agent tells the \
            server of a change, and takes the changes of the others. A template or signature that was \
            changed here and on another device is asked for in a terminal; memo sync --mine or --theirs \
            answers, too.

            A subject template holds {line}, the memo's first line; {date}, the day; {id}, a short \
            code that keeps mails apart; and anything else as it is, {{ and }} being braces. An \
            empty template is {line}, an empty signature is none. A signature stands behind the line \
            "-- ", by which mail programs know a signature; a signature that begins with that line \
            has it once.

            The key that seals what is stored is kept in a file of the data folder, or in the \
            keyring of the desktop (secret-service). A new folder's key goes into the keyring if \
            that is open, else into a file; MEMO_KEY_STORE decides. A program outside the desktop \
            session, such as a login by ssh, cannot read a key that is in the keyring.

            With --json: {"language" (a tag, or null for the environment's), "speaks" (the tag in \
            use), "keyStore" (file, secret-service, keychain, or null before there is a key), \
            "subjectTemplate" (or null), "signature" (or null), "address" and "relay" (or null), \
            "notConfirmed" (a number of changes that the server has not confirmed), "lastSynced" \
            (RFC 3339, UTC, or null), "questions": [{"setting", "mine", "theirs"}]}. \
            With --language and nothing else, the first two: the language can be changed without a \
            database that opens.
            """
    )

    @Option(
        help: "The language: ja, en, es, fr, de, it, pt, ko, zh-Hans, ar; auto for $LANG's.",
        completion: .list(Language.allCases.map(\.tag.description) + ["auto"])
    )
    var language: String?

    @Option(parsing: .unconditional, help: "How subjects are made.")
    var subjectTemplate: String?

    @Option(
        parsing: .unconditional,
        help: "What stands below each memo; - reads standard input."
    )
    var signature: String?

    @Option(
        help: "Where the key is kept: file, secret-service.",
        completion: .list(KeyHome.offered.map(\.rawValue))
    )
    var keyStore: String?

    @Flag(help: "Seal everything again under a new key.")
    var rotateKey = false

    @Flag(help: "Print JSON.")
    var json = false

    func run() throws {
        let folder = try DataFolder.current()
        // Everything is checked before anything is changed.
        let choice = try language.map(Self.choice(named:))
        let home = try keyStore.map(KeyHome.init(name:))
        let isLanguageAll =
            language != nil && subjectTemplate == nil && signature == nil && home == nil
            && !rotateKey
        let settings = isLanguageAll ? nil : try settings(in: MemoBox(folder: folder))
        if let choice { try folder.chooseLanguage(choice) }
        // Each change opens a box of its own: a box that has read a key keeps the key from being
        // removed.
        if rotateKey { try Self.report(MemoBox(folder: folder).rotateKey()) }
        if let home { try MemoBox(folder: folder).moveKey(to: home) }
        let language = folder.chosenLanguage
        // An account that cannot be read is a matter of doctor.
        let box = isLanguageAll ? nil : try? MemoBox(folder: folder)
        let account = (try? box?.account()) ?? nil
        let view = (try? box?.sharedView()) ?? nil
        StandardOutput.write(
            json
                ? Self.json(settings, account, language, folder.keyHome, view).line
                : Self.text(settings, account, language, folder.keyHome)
        )
        if self.language != nil || subjectTemplate != nil || signature != nil {
            // A failure costs time: the next agent tells the server.
            _ = try? (box ?? MemoBox(folder: folder)).summonAgent(for: .news)
        }
        if !json, let view { Self.tell(view) }
    }

    /// Says what the server has not confirmed, and asks a person who is there which version stays.
    private static func tell(_ view: SharedView) {
        let language = Language.ofThisProcess
        if view.pending > 0 {
            StandardError.write(language.string(.notConfirmed, "\(view.pending)") + "\n")
        }
        guard StandardInput.isTerminal, StandardError.isTerminal else { return }
        for question in view.questions {
            let name = language.string(question.title)
            StandardError.write(language.string(.settingAsked, name) + "\n")
            StandardError.write("1  \(question.mine)\n2  \(question.theirs)\n")
            switch readLine() {
            case "1": AgentProgram.become(["sync", "--mine", question.setting])
            case "2": AgentProgram.become(["sync", "--theirs", question.setting])
            default: continue
            }
        }
    }

    /// The settings, after the changes of the command line.
    private func settings(in box: MemoBox) throws -> MemoSettings {
        guard subjectTemplate != nil || signature != nil else { return try box.settings() }
        // Standard input is read once.
        let signature = signature == "-" ? try StandardInput.readSignature() : signature
        let change = { (settings: inout MemoSettings) throws(MemoError) in
            if let subjectTemplate { try settings.setSubjectTemplate(subjectTemplate) }
            if let signature { try settings.setSignature(signature) }
        }
        do throws(MemoError) {
            return try box.changeSettings(change)
        } catch {
            switch error {
            case .settingsDamaged, .wrongKey: break
            default: throw error
            }
        }
        var settings = MemoSettings()
        try change(&settings)
        try box.setSettings(settings)
        StandardError.complain(Language.ofThisProcess.string(.settingsReplaced))
        return settings
    }

    private static func report(_ rotation: KeyRotation) {
        let language = Language.ofThisProcess
        StandardError.complain(language.string(.keyRotated, "\(rotation.resealed)"))
        if !rotation.isOldKeyGone { StandardError.complain(language.string(.oldKeyKept)) }
    }

    /// - Returns: `nil` for the environment's language.
    private static func choice(named tag: String) throws -> Language? {
        if tag == "auto" { return nil }
        guard let language = Language(tag: tag.utf8) else { throw MemoError.unknownLanguage(tag) }
        return language
    }

    private static func text(
        _ settings: MemoSettings?,
        _ account: Account?,
        _ chosen: Language?,
        _ keyHome: KeyHome?
    ) -> String {
        let language = chosen ?? .ofEnvironment
        let name = "\(language.ownName) (\(language.tag))"
        var table = Table()
        table.add(
            language.string(AppText.language),
            chosen == nil ? "\(language.string(.languageAutomatic)): \(name)" : name
        )
        guard let settings else { return table.text }
        table.add(language.string(AppText.address), account?.address ?? "—")
        table.add(language.string(.server), account?.relay ?? "—")
        table.add(language.string(.key), keyHome?.rawValue ?? "—")
        let signature = String(decoding: settings.signature.text, as: UTF8.self)
        table.add(language.string(.subjectTemplate), settings.templateSource ?? "{line}")
        table.add(
            language.string(.signature),
            signature.isEmpty ? "—" : signature
        )
        return table.text
    }

    private static func json(
        _ settings: MemoSettings?,
        _ account: Account?,
        _ chosen: Language?,
        _ keyHome: KeyHome?,
        _ view: SharedView?
    ) -> JSON {
        var members: [(String, JSON)] = [
            ("language", .optional(chosen?.tag.description)),
            ("speaks", .string((chosen ?? .ofEnvironment).tag.description)),
        ]
        if let settings {
            let signature = String(decoding: settings.signature.text, as: UTF8.self)
            members += [
                ("address", .optional(account?.address)),
                ("relay", .optional(account?.relay)),
                ("keyStore", .optional(keyHome?.rawValue)),
                ("subjectTemplate", .optional(settings.templateSource)),
                ("signature", .optional(signature.isEmpty ? nil : signature)),
                ("notConfirmed", .number(Int64(view?.pending ?? 0))),
                ("lastSynced", .optional(view?.lastSynced.map { Dates.utc($0) })),
                ("questions", .array((view?.questions ?? []).map(\.printed))),
            ]
        }
        return .object(members)
    }
}
