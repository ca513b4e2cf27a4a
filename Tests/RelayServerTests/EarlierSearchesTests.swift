import OutboxCore
import Testing

@testable import RelayServer

@Suite("A later search for a mail looks at what has arrived since")
struct EarlierSearchesTests {
    private let folder = NumberedFolder()
    private let earlier = EarlierSearches()

    private func look() -> MailOutcome {
        ExactlyOnceAppend(
            commands: folder,
            earlier: earlier,
            messageID: "m",
            history: .settling(look: 1),
            mayHaveBeenTried: true,
            firstWait: .seconds(60)
        ).run()
    }

    private let next = MailOutcome.settling("imap.settling.2", after: .seconds(120))

    @Test("the first search looks at the whole folder, each later one at the later mails")
    func range() {
        folder.copies = [3]
        folder.reached = 10
        #expect(look() == next)
        folder.reached = 12
        #expect(look() == next)
        #expect(look() == next)
        #expect(folder.searchedFrom == [1, 11, 13])
        #expect(folder.copies == [3])
    }

    @Test("a connection that was opened before tells less, and nothing is searched twice")
    func olderConnection() {
        folder.reached = 10
        _ = look()
        folder.reached = 4
        _ = look()
        _ = look()
        #expect(folder.searchedFrom == [1, 11, 11])
    }

    @Test("a copy that arrives later is removed when the whole folder has an older one")
    func lateCopy() {
        folder.copies = [3]
        folder.reached = 10
        _ = look()
        folder.copies = [3, 11]
        #expect(look() == next)
        #expect(folder.copies == [3])
        #expect(folder.searchedFrom == [1, 11, 1])
    }

    @Test("copies that arrive where none was are known without a search of the whole folder")
    func firstCopies() {
        folder.reached = 10
        _ = look()
        folder.copies = [11, 12]
        #expect(look() == next)
        #expect(folder.copies == [11])
        #expect(folder.searchedFrom == [1, 11])
        #expect(look() == next)
        #expect(folder.searchedFrom == [1, 11, 1])
    }

    @Test("a late copy stays where a person has moved the older one")
    func movedCopy() {
        folder.copies = [3]
        folder.reached = 10
        _ = look()
        folder.copies = [11]
        _ = look()
        #expect(folder.copies == [11])
    }

    @Test("a folder with another validity, and one without any, are searched whole")
    func otherFolder() {
        folder.copies = [3]
        folder.reached = 10
        _ = look()
        folder.validity = 2
        folder.copies = [5, 6]
        _ = look()
        #expect(folder.copies == [5])
        folder.validity = nil
        folder.copies = [5, 6]
        _ = look()
        #expect(folder.copies == [5])
    }

    @Test("the greatest identifier has none after it")
    func greatest() {
        folder.reached = .max
        _ = look()
        _ = look()
        #expect(folder.searchedFrom == [1, 1])
    }

    @Test("the searches that are kept are bounded")
    func bounded() {
        let search = FolderSearch(copies: [1], view: FolderView(validity: 1, reached: 1))
        for number in 0..<EarlierSearches.mostKept { earlier.note(search, for: "\(number)") }
        earlier.note(search, for: "0")
        #expect(earlier.search(for: "1") != nil)
        earlier.note(search, for: "one more")
        #expect(earlier.search(for: "1") == nil)
        #expect(earlier.search(for: "one more")?.copy == 1)
        earlier.forget("one more")
        #expect(earlier.search(for: "one more") == nil)
    }
}

/// A folder that notes where searches begin.
private final class NumberedFolder: MailboxCommands {
    var copies: [MailboxCopy] = []
    var validity: UInt32? = 1
    /// What the connection knows of the folder.
    var reached: MailboxCopy = 0
    private(set) var searchedFrom: [MailboxCopy] = []

    func search(from first: MailboxCopy) -> FolderSearch {
        searchedFrom.append(first)
        return FolderSearch(
            copies: copies.filter { $0 >= first },
            view: validity.map { FolderView(validity: $0, reached: reached) }
        )
    }
    func append() -> MailboxCopy? { nil }
    func markUnread(_ copy: MailboxCopy) {}
    func remove(_ removed: [MailboxCopy]) { copies.removeAll { removed.contains($0) } }
}
