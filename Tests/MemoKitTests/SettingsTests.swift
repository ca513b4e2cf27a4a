import Foundation
import MemoCore
import MemoTexts
import Outbox
import OutboxCore
import OutboxSQLite
import RelayAPI
import SQLite
import Synchronization
import Testing

@testable import MemoKit

@Suite("Settings")
struct SettingsTests {
    let temporary = try! TemporaryFolder()

    private func settings(_ template: String, _ signature: String) throws -> MemoSettings {
        var settings = MemoSettings()
        try settings.setSubjectTemplate(template)
        try settings.setSignature(signature)
        return settings
    }

    private func request(_ id: OperationID, in box: MemoBox) throws -> MemoRequest {
        try RelayJSON.decode(MemoRequest.self, from: box.outbox.open(id).payload)
    }

    @Test("survive reopening, and no word of them is readable on the disk")
    func stored() throws {
        let written = try settings("[canary-prefix] {line}", "canary-signature")
        try MemoBox(folder: temporary.folder).setSettings(written)
        #expect(try MemoBox(folder: temporary.folder).settings() == written)
        for (name, bytes) in try temporary.files() {
            #expect(bytes.range(of: Data("canary".utf8)) == nil, "\(name)")
        }
    }

    @Test("a change leaves alone what another process has changed since they were read")
    func changedAtOnce() throws {
        let box = try MemoBox(folder: temporary.folder)
        let other = try MemoBox(folder: temporary.folder)
        try box.setSettings(try settings("{date}", "Ann"))
        var others = ["Berta", "Carla"]
        let stored = try box.changeSettings { settings throws(MemoError) in
            try settings.setSubjectTemplate("[memo] {line}")
            guard let signature = others.popLast() else { return }
            try other.changeSettings { settings throws(MemoError) in
                try settings.setSignature(signature)
            }
        }
        #expect(try stored == settings("[memo] {line}", "Berta"))
        #expect(try box.settings() == stored)
        #expect(
            memoError {
                _ = try box.changeSettings { settings throws(MemoError) in
                    try settings.setSignature("Dora")
                    try settings.setSubjectTemplate("{x}")
                }
            } == .badTemplate(.placeholder)
        )
        #expect(try box.settings() == stored)
    }

    @Test("make the subject and the end of what is sent, and leave the history the memo's own")
    func used() throws {
        let box = try MemoBox(folder: temporary.folder)
        try box.setSettings(try settings("[memo] {line} #{id}", "Ann\nRome"))
        let id = try box.send("Buy milk\nand bread")
        let request = try request(id, in: box)
        #expect(request.text == "Buy milk\nand bread\n-- \nAnn\nRome")
        #expect(request.subject == "[memo] Buy milk #\(id.description.suffix(6))")
        #expect(try box.historyEntry(id)?.text == "Buy milk\nand bread")
        #expect(try box.historyEntry(id)?.title == "Buy milk …")
    }

    @Test("the date is the person's own day")
    func date() throws {
        let box = try MemoBox(folder: temporary.folder)
        try box.setSettings(try settings("{date}", ""))
        let id = try box.send("text")
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.dateFormat = "yyyy-MM-dd"
        let created = try #require(try box.historyEntry(id)?.createdAt)
        let moment = Date(timeIntervalSince1970: Double(created.millisecondsSinceEpoch) / 1000)
        #expect(try request(id, in: box).subject == format.string(from: moment))
    }

    @Test("without any, what is sent is the memo to the byte")
    func none() throws {
        let box = try MemoBox(folder: temporary.folder)
        #expect(try box.settings() == MemoSettings())
        let id = try box.send(" a \r\n\n")
        #expect(try request(id, in: box) == MemoRequest(text: " a \r\n\n", subject: "a"))
    }

    @Test("that cannot be used are refused, and those before stay")
    func refused() throws {
        var settings = try settings("[memo] {line}", "Ann")
        let before = settings
        #expect(
            memoError { try settings.setSubjectTemplate("{x}") } == .badTemplate(.placeholder)
        )
        let long = String(repeating: "x", count: 2001)
        #expect(memoError { try settings.setSignature(long) } == .signatureTooLong)
        #expect(settings == before)
        try settings.setSubjectTemplate("")
        try settings.setSignature("\n")
        #expect(settings == MemoSettings())
    }

    @Test("a memo that is too long with its signature is refused")
    func tooLong() throws {
        let box = try MemoBox(folder: temporary.folder)
        try box.setSettings(try settings("", "Ann"))
        let longest = String(repeating: "x", count: 1 << 20)
        let limit = (1 << 20) - "\n-- \nAnn".utf8.count
        #expect(memoError { try box.send(longest) } == .tooLong(limit: limit))
        #expect(memoError { try box.send(String(longest.prefix(limit + 1))) } != nil)
        #expect(try box.outboxState().total == 0)
        try box.send(String(longest.prefix(limit)))
    }

    @Test("damaged ones are told of, and a memo is sent without them")
    func damaged() throws {
        let box = try MemoBox(folder: temporary.folder)
        try box.setSettings(try settings("[memo] {line}", "Ann"))
        try box.storage.write { connection in
            _ = try connection.run("UPDATE memo_settings SET created_at = created_at + 1")
        }
        #expect(memoError { _ = try box.settings() } == .settingsDamaged)
        let id = try box.send("text")
        #expect(try request(id, in: box) == MemoRequest(text: "text", subject: "text"))
        try box.setSettings(try settings("", "Bob"))
        #expect(try box.settings().signature.text == Array("Bob".utf8))
    }

    @Test("sealed with another key, they are told of, a memo is sent without them")
    func wrongKey() throws {
        try MemoBox(folder: temporary.folder).setSettings(try settings("[memo] {line}", "Ann"))
        let other = try TemporaryFolder()
        try MemoBox(folder: other.folder).send("makes a key")
        try FileManager.default.removeItem(atPath: temporary.folder.key)
        try FileManager.default.copyItem(
            atPath: other.folder.key,
            toPath: temporary.folder.key
        )
        chmod(temporary.folder.key, 0o600)
        let box = try MemoBox(folder: temporary.folder)
        #expect(memoError { _ = try box.settings() } == .wrongKey(temporary.folder.key))
        let id = try box.send("text")
        #expect(try request(id, in: box) == MemoRequest(text: "text", subject: "text"))
        try box.setSettings(try settings("", "Bob"))
        #expect(try box.settings().signature.text == Array("Bob".utf8))
    }

    @Test("a database from before there were settings is brought up to date with all it holds")
    func older() throws {
        let folder = temporary.folder
        let id = try MemoBox(folder: folder).send("from before")
        try MemoBox(folder: folder).storage.write { connection in
            try connection.execute(
                """
                DROP TABLE memo_verification; DROP INDEX memo_history_unseen;
                ALTER TABLE memo_history DROP COLUMN is_unseen;
                ALTER TABLE memo_history DROP COLUMN is_told;
                ALTER TABLE memo_account DROP COLUMN refused_at;
                DROP TABLE memo_settings; DROP TABLE memo_changes; DROP INDEX memo_history_news;
                DROP TABLE memo_shared_view; DROP TABLE schema_component; PRAGMA user_version = 1
                """
            )
        }
        let box = try MemoBox(folder: folder)
        #expect(try box.settings() == MemoSettings())
        try box.setSettings(try settings("", "Ann"))
        #expect(try box.historyEntry(id)?.text == "from before")
    }
}

@Suite("The chosen language")
struct ChosenLanguageTests {
    let temporary = try! TemporaryFolder()

    @Test("is kept, replaced and given back to the environment", arguments: Language.allCases)
    func kept(language: Language) throws {
        let folder = temporary.folder
        #expect(folder.chosenLanguage == nil)
        try folder.chooseLanguage(.english)
        try folder.chooseLanguage(language)
        #expect(folder.chosenLanguage == language)
        #expect(try temporary.files().keys.sorted() == ["language"])
        try folder.chooseLanguage(nil)
        try folder.chooseLanguage(nil)
        #expect(folder.chosenLanguage == nil)
    }

    @Test("a synchronisation sets none in place of one that a person has chosen meanwhile")
    func chosenAtOnce() async throws {
        let folder = temporary.folder
        let chosen = Mutex<Language?>(nil)
        let adopting = Task.detached {
            while !Task.isCancelled {
                _ = try folder.chooseLanguage(.japanese, replacing: chosen.withLock { $0 })
            }
        }
        for number in 0..<200 {
            let language = number.isMultiple(of: 2) ? Language.german : .french
            try folder.chooseLanguage(language)
            #expect(folder.chosenLanguage == language)
            chosen.withLock { $0 = language }
        }
        adopting.cancel()
        try await adopting.value
        #expect(try folder.chooseLanguage(nil, replacing: .english) == false)
    }

    @Test("a file that names none is no choice", arguments: ["", "\n", "nl\n", "\u{0}", "ja JP"])
    func damaged(content: String) throws {
        try temporary.folder.create()
        try Data(content.utf8).write(
            to: URL(fileURLWithPath: temporary.folder.path + "/language")
        )
        #expect(temporary.folder.chosenLanguage == nil)
    }

    @Test("that cannot be stored is an error")
    func unstorable() {
        let folder = DataFolder(path: "/proc/memo")
        #expect(memoError { try folder.chooseLanguage(.japanese) } != nil)
    }
}

@Suite("The choice to cover the text")
struct CoverTests {
    let temporary = try! TemporaryFolder()

    @Test("stands until the person chooses otherwise, and comes back")
    func kept() throws {
        let folder = temporary.folder
        #expect(folder.coversText)
        try folder.coverText(false)
        #expect(!folder.coversText)
        #expect(try temporary.files().keys.sorted() == ["cover"])
        try folder.coverText(true)
        #expect(folder.coversText)
    }

    @Test("a file that says anything else covers the text")
    func damaged() throws {
        try temporary.folder.create()
        let file = URL(fileURLWithPath: temporary.folder.path + "/cover")
        for content in ["", "non", "nonex", "all\n"] {
            try Data(content.utf8).write(to: file)
            #expect(temporary.folder.coversText)
        }
    }

    @Test("that cannot be stored is an error")
    func unstorable() {
        #expect(memoError { try DataFolder(path: "/proc/memo").coverText(false) } != nil)
    }
}

@Suite("The question for a rating")
struct RatingNoteTests {
    let temporary = try! TemporaryFolder()

    @Test("is noted as it was, and a file that says anything else is that of a new device")
    func noted() throws {
        let folder = temporary.folder
        try folder.create()
        #expect(folder.rating == RatingRule())
        var rule = RatingRule()
        rule.shown(sent: 100, now: WallTime(millisecondsSinceEpoch: 5))
        folder.noteRating(rule)
        #expect(folder.rating == rule)
        rule.dismissed(now: WallTime(millisecondsSinceEpoch: 6))
        folder.noteRating(rule)
        #expect(folder.rating == rule)
        for content in ["", "1 2", "1 2 x", "1 2 3 4"] {
            let file = URL(fileURLWithPath: folder.path + "/rating")
            try Data(content.utf8).write(to: file)
            #expect(folder.rating == RatingRule())
        }
    }

    @Test("counts the memos that have left, and none that waits")
    func sent() async throws {
        let box = try MemoBox(folder: temporary.folder, keys: .file)
        #expect(try box.memosSent() == 0)
        let ids = try ["one", "two", "three"].map { try box.send($0) }
        #expect(try box.memosSent() == 0)
        try box.delete(ids[1])
        #expect(try box.memosSent() == 1)
        try box.deleteFromHistory(ids[0])
        #expect(try box.memosSent() == 2)
    }
}

@Suite("Something late")
struct LateTests {
    @Test("is told after an hour, not before, and once")
    func late() throws {
        let temporary = try TemporaryFolder()
        let box = try MemoBox(folder: temporary.folder)
        #expect(!box.warnsOfWaiting())
        let hourAgo = OutboxClock.system.wallTime().advanced(by: .seconds(-3601))
        let operation = try box.outbox.seal(kind: .memo, payload: [1])
        var envelope = operation.envelope
        envelope = Envelope(id: envelope.id, kind: envelope.kind, createdAt: hourAgo)
        try box.storage.write { connection in
            try box.storage.insert(
                SealedOperation(envelope: envelope, record: operation.record),
                in: connection
            )
        }
        #expect(box.warnsOfWaiting())
        // Another call of the program, and another hour.
        let next = try MemoBox(folder: temporary.folder)
        #expect(!next.warnsOfWaiting())
        let now = OutboxClock.system.wallTime()
        #expect(!next.warnsOfWaiting(now: now.advanced(by: .seconds(3600))))
        // Another entry that has become late since the warning.
        try next.delete(next.outboxItem(operation.envelope.id))
        try next.send("text")
        #expect(!next.warnsOfWaiting())
        #expect(next.warnsOfWaiting(now: now.advanced(by: .seconds(7200))))
    }

    @Test("is not what was just sent")
    func fresh() throws {
        let temporary = try TemporaryFolder()
        let box = try MemoBox(folder: temporary.folder)
        try box.send("text")
        #expect(!box.warnsOfWaiting())
    }
}
