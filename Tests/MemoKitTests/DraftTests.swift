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
        let draft = try #require(await first.close()[.only])
        #expect(memoError { _ = try first.draft() } != nil)
        let second = try MemoBox(folder: temporary.folder)
        try second.continueDraft(draft)
        try second.saveDraft("half a thought")
        try second.send("half a thought")
        #expect(try MemoBox(folder: temporary.folder).draft() == nil)
    }

    @Test("a closed box without a stored draft has none to go on with")
    func closedEmpty() async throws {
        #expect(await (try MemoBox(folder: temporary.folder)).close() == [:])
        let sent = try MemoBox(folder: temporary.folder)
        try sent.saveDraft("text")
        try sent.send("text")
        #expect(await sent.close() == [:])
    }

    @Test("a draft that another composer took over, sent or replaced is not gone on with")
    func takenOver() async throws {
        let first = try MemoBox(folder: temporary.folder)
        try first.saveDraft("first")
        let draft = try #require(await first.close()[.only])
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
        #expect(await third.close() != [:])
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

    @Test("two composers of one box have a draft each, and a send takes that of its composer")
    func composers() throws {
        let box = try MemoBox(folder: temporary.folder)
        let (left, right) = (ComposerID(1), ComposerID(2))
        try box.saveDraft("left", of: left)
        try box.saveDraft("right", of: right)
        #expect(try box.draft(of: left) == "left")
        #expect(try box.draft(of: right) == "right")
        #expect(try box.draft(of: ComposerID(3)) == nil)
        try box.send("right", of: right)
        #expect(try box.draft(of: left) == "left")
        #expect(try box.draft(of: right) == nil)
    }

    @Test("the draft of a composer that has ended is taken over, and no draft before")
    func endedComposer() throws {
        let box = try MemoBox(folder: temporary.folder)
        try box.saveDraft("left", of: ComposerID(1))
        #expect(try box.draft(of: ComposerID(2)) == nil)
        box.endComposer(ComposerID(1))
        #expect(try box.draft(of: ComposerID(2)) == "left")
        #expect(try box.draft(of: ComposerID(1)) == nil)
        #expect(try box.discardDrafts() == 0)
    }

    @Test("a closed box lets go of all drafts, and each composer goes on with its own")
    func closedComposers() async throws {
        let first = try MemoBox(folder: temporary.folder)
        try first.saveDraft("left", of: ComposerID(1))
        try first.saveDraft("right", of: ComposerID(2))
        let drafts = await first.close()
        let second = try MemoBox(folder: temporary.folder)
        for (composer, draft) in drafts { try second.continueDraft(draft, of: composer) }
        #expect(try second.draft(of: ComposerID(1)) == "left")
        #expect(try second.draft(of: ComposerID(2)) == "right")
    }

    @Test("an interrupted draft is found by its number, and one that is spared is left alone")
    func preferred() throws {
        var numbers: [Int64] = []
        try {
            let box = try MemoBox(folder: temporary.folder)
            for (number, text) in ["one", "two", "three"].enumerated() {
                try box.saveDraft(text, of: ComposerID(number))
                numbers.append(try #require(box.draftNumber(of: ComposerID(number))))
            }
        }()
        let box = try MemoBox(folder: temporary.folder)
        let spared: Set = [numbers[2]]
        #expect(try box.draft(of: ComposerID(1), preferring: numbers[0], sparing: spared) == "one")
        #expect(try box.draft(of: ComposerID(2), preferring: 99, sparing: spared) == "two")
        #expect(try box.draft(of: ComposerID(3), sparing: spared) == nil)
        #expect(
            try box.draft(of: ComposerID(3), preferring: numbers[2], sparing: spared) == "three"
        )
    }

    @Test("a new draft takes no interrupted one out of reach")
    func newBesideInterrupted() throws {
        try { try MemoBox(folder: temporary.folder).saveDraft("interrupted") }()
        let box = try MemoBox(folder: temporary.folder)
        try box.saveDraft("new", of: ComposerID(1))
        #expect(try box.draft(of: ComposerID(2)) == "interrupted")
    }
}
