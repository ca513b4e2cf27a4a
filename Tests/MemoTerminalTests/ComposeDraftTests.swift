import MemoCore
import MemoKit
import Testing

@testable import MemoTerminal

@Suite("The draft of a compose")
struct ComposeDraftTests {
    private func noBox() throws(MemoError) -> MemoBox { throw .noDataFolder }

    @Test("nothing is saved before a key, and saving is due after one")
    func due() throws {
        var draft = ComposeDraft()
        #expect(draft.pause == -1)
        let untouched = draft.paused("text", in: noBox)
        #expect(untouched == nil)
        #expect(draft.failure == nil)
        draft.typed()
        #expect(draft.pause > 0)
        try draft.send {}
        #expect(draft.pause == -1)
    }

    @Test("a failure to save is told once, however often it is met")
    func failure() {
        var draft = ComposeDraft()
        draft.typed()
        let first = draft.paused("text", in: noBox)
        draft.typed()
        let second = draft.paused("text", in: noBox)
        #expect(first == .noDataFolder)
        #expect(second == nil)
        #expect(draft.failure == .noDataFolder)
    }

    @Test("a loss is announced once, and again after another key than the one that leaves")
    func loss() {
        var draft = ComposeDraft()
        draft.typed()
        _ = draft.paused("text", in: noBox)
        let announced = draft.leave("text", in: noBox)
        let whileLeaving = draft.leave("text", in: noBox)
        draft.typed()
        let afterTyping = draft.leave("text", in: noBox)
        #expect(announced == .lost)
        #expect(whileLeaving == .lostAgain)
        #expect(afterTyping == .lost)
    }

    @Test("a memo that was not stored is due as a draft again")
    func notSent() {
        var draft = ComposeDraft()
        draft.typed()
        #expect(throws: MemoError.noDataFolder) {
            try draft.send { () throws(MemoError) in throw .noDataFolder }
        }
        #expect(draft.pause > 0)
    }

    @Test("a draft that cannot be read is told, and leaves the compose as it is")
    func unreadable() {
        var draft = ComposeDraft()
        #expect(throws: MemoError.noDataFolder) {
            try draft.restore(.failure(.noDataFolder), isMerged: false)
        }
        #expect(draft.pause == -1 && draft.failure == nil)
    }

    @Test("a draft alone is stored already, and one that joins a typed text is saved with it")
    func joined() throws {
        var alone = ComposeDraft()
        var joined = ComposeDraft()
        joined.typed()
        #expect(try alone.restore(.success("draft"), isMerged: false) == "draft")
        #expect(try joined.restore(.success("draft"), isMerged: true) == "draft")
        #expect(alone.pause == -1)
        #expect(joined.pause > 0)
    }
}
