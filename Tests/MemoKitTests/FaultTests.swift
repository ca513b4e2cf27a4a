import Foundation
import MemoTexts
import Outbox
import OutboxCore
import OutboxSQLite
import SQLite
import Testing

@testable import MemoKit

@Suite("When the device fails, nothing is lost and the reason is clear")
struct FaultTests {
    let temporary = try! TemporaryFolder()
    var folder: DataFolder { temporary.folder }

    @Test("neither memo, draft, address nor token is readable in any file")
    func canary() throws {
        let canary = "canary-5f1c"
        let box = try MemoBox(folder: folder)
        try box.setAccount(
            Account(
                relay: "https://\(canary).example",
                address: "\(canary)@b.example",
                token: "token-\(canary)"
            )
        )
        let id = try box.send("\(canary) memo")
        try box.send("\(canary) again")
        try box.saveDraft("\(canary) draft")
        try box.delete(id)
        let files = try temporary.files()
        #expect(files.keys.contains("memo.sqlite-wal"))
        for (name, content) in files {
            #expect(content.range(of: Data(canary.utf8)) == nil, "\(name)")
            let mode =
                try FileManager.default.attributesOfItem(
                    atPath: folder.path + "/" + name
                )[.posixPermissions] as? Int
            #expect(mode.map { $0 & 0o077 } == 0, "\(name)")
        }
    }

    @Test("a trial of storing takes the lock of the keys, writes, and stores nothing")
    func trialOfStoring() throws {
        let box = try MemoBox(folder: folder)
        func logged() throws -> Int { try temporary.files()["memo.sqlite-wal"]?.count ?? 0 }
        let before = try logged()
        try box.tryStoring()
        #expect(try logged() > before)
        #expect(try box.outboxState().queued == 0)
        #expect(!FileManager.default.fileExists(atPath: folder.key))
        unlink(folder.key + "-lock")
        mkdir(folder.key + "-lock", 0o700)
        #expect(memoError { try box.tryStoring() } == .folderUnusable(folder.path, code: EISDIR))
    }

    @Test("a file system without locks or shared memory is told, and no key is blamed")
    func noLocks() {
        let failures: [any Error] = [
            KeyStoreError.unreadable(code: ENOLCK), KeyStoreError.cannotCreate(code: ENODEV),
            StorageError.failed(code: 5386),
        ]
        for failure in failures {
            #expect(MemoError(failure, folder: folder) == .folderLacksLocks(folder.path))
        }
    }

    @Test("a failure that nothing here expects is told with its cause")
    func causes() {
        struct Unexpected: Error {}
        let causes: [(failure: any Error, cause: String)] = [
            (StorageError.closed, "storage.closed"), (StorageError.duplicate, "storage.duplicate"),
            (StorageError.failed(code: 266), "SQLite 266"), (Unexpected(), "Unexpected"),
        ]
        for (failure, cause) in causes {
            let sentence = MemoError(failure, folder: folder).sentence(in: .english)
            #expect(sentence.contains("(\(cause))"))
        }
    }

    @Test("the folder is its owner's alone")
    func mode() throws {
        _ = try MemoBox(folder: folder)
        let attributes = try FileManager.default.attributesOfItem(atPath: folder.path)
        #expect(attributes[.posixPermissions] as? Int == 0o700)
    }

    @Test("a key file that others may read is refused, and works again once it is closed to them")
    func keyPermissions() throws {
        try MemoBox(folder: folder).send("first")
        chmod(folder.key, 0o644)
        let box = try MemoBox(folder: folder)
        #expect(memoError { try box.send("second") } == .keyPermissions(folder.key))
        #expect(memoError { _ = try box.history() } == .keyPermissions(folder.key))
        chmod(folder.key, 0o600)
        #expect(try box.history().map(\.text) == ["first"])
        try box.send("second")
    }

    @Test("a key file that cannot be read is not replaced")
    func keyUnreadable() throws {
        try MemoBox(folder: folder).send("first")
        // Even the superuser cannot read through a link that is not to be followed.
        rename(folder.key, folder.key + ".elsewhere")
        symlink(folder.key + ".elsewhere", folder.key)
        let box = try MemoBox(folder: folder)
        #expect(memoError { try box.send("second") } == .keyUnreadable(folder.key))
        #expect(try box.outboxState().queued == 1)
        unlink(folder.key)
        #expect(memoError { try box.send("second") } == .keyMissing(folder.key))
        #expect(!FileManager.default.fileExists(atPath: folder.key))
        rename(folder.key + ".elsewhere", folder.key)
        #expect(try box.history().map(\.text) == ["first"])
    }

    @Test("a damaged key file is refused and kept", arguments: [0, 3, 7, 40, 100])
    func keyDamaged(length: Int) throws {
        try MemoBox(folder: folder).send("first")
        let bytes = Data(repeating: 7, count: length)
        try bytes.write(to: URL(fileURLWithPath: folder.key))
        chmod(folder.key, 0o600)
        let box = try MemoBox(folder: folder)
        #expect(memoError { try box.send("second") } == .keyDamaged(folder.key))
        #expect(FileManager.default.contents(atPath: folder.key) == bytes)
    }

    @Test("under a wrong key entries stay, without text, and the right key brings them back")
    func wrongKey() throws {
        let other = try TemporaryFolder()
        try MemoBox(folder: other.folder).send("other")
        let account = Account(relay: "https://r.example", address: "a@b.example", token: "t")
        let id = try {
            let box = try MemoBox(folder: folder)
            try box.setAccount(account)
            try box.saveDraft("draft")
            return try box.send("first")
        }()
        rename(folder.key, folder.key + ".right")
        try FileManager.default.copyItem(atPath: other.folder.key, toPath: folder.key)
        chmod(folder.key, 0o600)
        try {
            let box = try MemoBox(folder: folder)
            #expect(try box.history().map(\.text) == [nil])
            #expect(try box.draft() == nil)
            #expect(memoError { _ = try box.account() } == .wrongKey(folder.key))
            #expect(memoError { _ = try box.outboxText(id) } == .wrongKey(folder.key))
            #expect(try box.outboxState().total == 1)
        }()
        rename(folder.key + ".right", folder.key)
        let box = try MemoBox(folder: folder)
        #expect(try box.history().map(\.text) == ["first"])
        #expect(try box.account() == account)
    }

    @Test("what is damaged is called damaged, not sealed with another key")
    func damagedRecords() throws {
        let box = try MemoBox(folder: folder)
        try box.setAccount(Account(relay: "https://r.example", address: "a@b.example", token: "t"))
        let id = try box.send("first")
        try box.storage.write { connection in
            try connection.execute(
                """
                UPDATE outbox_operation SET record = substr(record, 1, length(record) - 1)
                    || iif(substr(record, -1) = x'00', x'01', x'00');
                UPDATE memo_account SET sealed = substr(sealed, 1, 10);
                """
            )
        }
        #expect(memoError { try box.retry(id) } == .entryDamaged)
        #expect(memoError { _ = try box.outboxText(id) } == .entryDamaged)
        #expect(memoError { _ = try box.account() } == .accountDamaged)
    }

    @Test("a full disk refuses the memo whole, and takes it once there is room")
    func diskFull() throws {
        let box = try MemoBox(folder: folder)
        try box.send("first")
        let pages = try box.storage.read { connection in
            let pages = try connection.first("PRAGMA page_count") { $0.integer(0) } ?? 0
            try connection.execute("PRAGMA max_page_count = \(pages)")
            return pages
        }
        let long = String(repeating: "x", count: 100_000)
        #expect(memoError { try box.send(long) } == .diskFull(folder.path))
        #expect(try box.outboxState().queued == 1)
        #expect(try box.history().count == 1)
        try box.storage.read { try $0.execute("PRAGMA max_page_count = \(pages + 1000)") }
        try box.send(long)
    }

    @Test("a database that is none is refused and left as it is")
    func damaged() throws {
        try folder.create()
        let rubbish = Data(String(repeating: "not a database ", count: 1000).utf8)
        try rubbish.write(to: URL(fileURLWithPath: folder.database))
        #expect(
            memoError { _ = try MemoBox(folder: folder) } == .databaseDamaged(folder.database)
        )
        #expect(FileManager.default.contents(atPath: folder.database) == rubbish)
    }

    @Test("a database of a newer build is refused")
    func tooNew() throws {
        try MemoBox(folder: folder).storage.write { connection in
            try connection.execute("PRAGMA user_version = 99")
        }
        #expect(
            memoError { _ = try MemoBox(folder: folder) } == .databaseTooNew(folder.database)
        )
    }

    @Test("a folder that cannot be made or entered is named")
    func unusable() throws {
        #expect(memoError { _ = try MemoBox(folder: DataFolder(path: "/proc/memo")) } != nil)
        let file = temporary.root + "/file"
        #expect(FileManager.default.createFile(atPath: file, contents: nil))
        #expect(
            memoError { _ = try MemoBox(folder: DataFolder(path: file)) }
                == .folderUnusable(file, code: ENOTDIR)
        )
    }

    @Test("a read-only database is named, and what is in it stays")
    func readOnly() throws {
        let box = try MemoBox(folder: folder)
        try box.send("first")
        try box.storage.read { try $0.execute("PRAGMA query_only = ON") }
        #expect(memoError { try box.send("second") } == .readOnly(folder.path))
        #expect(try box.history().map(\.text) == ["first"])
    }

    #if os(Linux)
        @Test("a folder that only others may write is named")
        func notOurs() throws {
            chmod(temporary.root, 0o755)
            try asNobody {
                #expect(memoError { _ = try MemoBox(folder: folder) } == .readOnly(folder.path))
            }
            try folder.create()
            chmod(folder.path, 0o755)
            try asNobody {
                #expect(memoError { _ = try MemoBox(folder: folder) } == .readOnly(folder.path))
                #expect(
                    memoError { _ = try MemoBox.reading(folder, keys: .file) }
                        == .readingNeedsWriting(folder.path)
                )
            }
        }

        /// Runs `body` with the file permissions of another user when the tests run as the
        /// superuser, who may write anywhere, else with those of a folder closed to its owner.
        private func asNobody(_ body: () throws -> Void) throws {
            guard geteuid() == 0 else {
                chmod(folder.path, 0o500)
                chmod(temporary.root, 0o500)
                defer {
                    chmod(folder.path, 0o700)
                    chmod(temporary.root, 0o700)
                }
                return try body()
            }
            // Of this thread alone: https://man7.org/linux/man-pages/man2/setfsuid.2.html
            typealias SetUser = @convention(c) (UInt32) -> Int32
            let symbol = try #require(dlsym(nil, "setfsuid"))
            let setUser = unsafeBitCast(symbol, to: SetUser.self)
            _ = setUser(65534)
            defer { _ = setUser(0) }
            try body()
        }
    #endif

    @Test("a log that is damaged in the middle is reported until its copy is deleted")
    func damagedLog() throws {
        for text in ["first", "second", "third"] { try MemoBox(folder: folder).send(text) }
        let log = URL(filePath: folder.database + "-wal")
        var bytes = try Data(contentsOf: log)
        for place in bytes.count / 2..<bytes.count / 2 + 6000 { bytes[place] ^= 0xFF }
        try bytes.write(to: log)
        let copy = folder.database + "-damaged-1"
        let box = try MemoBox(folder: folder)
        #expect(try box.damage() == [.logDamaged(copy)])
        #expect(try box.outboxState().needsAttention)
        let sentence = MemoError.logDamaged(copy).sentence(in: .english)
        #expect(sentence.contains("send again what is missing") && sentence.contains(copy))
        try box.send("fourth")
        #expect(try box.history().first?.text == "fourth")
        try FileManager.default.removeItem(atPath: copy)
        #expect(try MemoBox(folder: folder).damage() == [])
    }
}
