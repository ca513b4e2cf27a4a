import Foundation
import MemoKit
import TemporaryFolders
import Testing

@Suite("The draft")
struct DraftTests {
    let temporary = try! TemporaryFolder()

    @Test("an interrupted compose is offered to the next one")
    func survives() throws {
        try {
            let interrupted = try MemoBox(folder: temporary.folder)
            #expect(try interrupted.draft() == nil)
            try interrupted.saveDraft("half a tho")
            try interrupted.saveDraft("half a thought")
        }()
        let next = try MemoBox(folder: temporary.folder)
        #expect(try next.draft() == "half a thought")
        #expect(try next.draft() == "half a thought")
    }

    #if os(Linux)
        @Test("a draft is free although a process that was just being started shares its lock")
        func sharedWithChild() throws {
            var interrupted: MemoBox? = try MemoBox(folder: temporary.folder)
            try interrupted?.saveDraft("text")
            let shared = try #require(try temporary.place.shareDescriptor(of: "data/draft.lock"))
            defer { close(shared) }
            interrupted = nil
            #expect(try MemoBox(folder: temporary.folder).draft() == "text")
        }
    #endif

    @Test("sending discards the draft in the same instant")
    func sent() throws {
        let box = try MemoBox(folder: temporary.folder)
        try box.saveDraft("text")
        try box.send("text")
        #expect(try box.draft() == nil)
        #expect(try MemoBox(folder: temporary.folder).draft() == nil)
    }

    @Test("a draft that another composer is writing is neither taken nor discarded")
    func others() throws {
        let first = try MemoBox(folder: temporary.folder)
        try first.saveDraft("first")
        let second = try MemoBox(folder: temporary.folder)
        #expect(try second.draft() == nil)
        try second.saveDraft("second")
        try second.send("second")
        #expect(try first.draft() == "first")
        #expect(try second.draft() == nil)
    }

    @Test("a closed box lets go of its draft, and the next box goes on writing the same one")
    func closed() async throws {
        let first = try MemoBox(folder: temporary.folder)
        try first.saveDraft("half a tho")
        let draft = try #require(await first.close())
        #expect(memoError { _ = try first.draft() } != nil)
        let second = try MemoBox(folder: temporary.folder)
        try second.continueDraft(draft)
        try second.saveDraft("half a thought")
        try second.send("half a thought")
        #expect(try MemoBox(folder: temporary.folder).draft() == nil)
    }

    @Test("a closed box without a stored draft has none to go on with")
    func closedEmpty() async throws {
        #expect(await (try MemoBox(folder: temporary.folder)).close() == nil)
        let sent = try MemoBox(folder: temporary.folder)
        try sent.saveDraft("text")
        try sent.send("text")
        #expect(await sent.close() == nil)
    }

    @Test("a draft that another composer took over, sent or replaced is not gone on with")
    func takenOver() async throws {
        let first = try MemoBox(folder: temporary.folder)
        try first.saveDraft("first")
        let draft = try #require(await first.close())
        let other = try MemoBox(folder: temporary.folder)
        #expect(try other.draft() == "first")
        let second = try MemoBox(folder: temporary.folder)
        try second.continueDraft(draft)
        try second.saveDraft("second")
        #expect(try other.draft() == "first")
        try other.saveDraft("replaced")
        _ = await other.close()
        let third = try MemoBox(folder: temporary.folder)
        try third.continueDraft(draft)
        try third.saveDraft("third")
        #expect(await third.close() != nil)
        #expect(try MemoBox(folder: temporary.folder).draft() == "third")
        #expect(try second.draft() == "second")
    }

    @Test("two interrupted composes are offered one after the other")
    func several() throws {
        try {
            let boxes = try (1...2).map { _ in try MemoBox(folder: temporary.folder) }
            try boxes[0].saveDraft("one")
            try boxes[1].saveDraft("two")
        }()
        let first = try MemoBox(folder: temporary.folder)
        let second = try MemoBox(folder: temporary.folder)
        #expect(try Set([first.draft(), second.draft()]) == ["one", "two"])
    }

    @Test("an empty text discards the draft")
    func emptied() throws {
        let box = try MemoBox(folder: temporary.folder)
        try box.saveDraft("text")
        try box.saveDraft("")
        #expect(try MemoBox(folder: temporary.folder).draft() == nil)
    }
}
