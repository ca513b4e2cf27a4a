import MemoKit
import Testing

@testable import MemoTerminal

@Suite("The draft of a compose")
struct ComposeDraftTests {
    private func noBox() throws(MemoError) -> MemoBox { throw .noDataFolder }

    @Test("nothing is saved before a key, and saving is due after one")
    func due() {
        var draft = ComposeDraft()
        #expect(draft.pause == -1)
        let untouched = draft.save("text", in: noBox)
        #expect(untouched == nil)
        #expect(draft.failure == nil)
        draft.keyTaken(isLeave: false)
        #expect(draft.pause > 0)
        draft.textSent()
        #expect(draft.pause == -1)
    }

    @Test("a failure to save is told once, however often it is met")
    func failure() {
        var draft = ComposeDraft()
        draft.keyTaken(isLeave: false)
        let first = draft.save("text", in: noBox)
        draft.makeDue()
        let second = draft.save("text", in: noBox)
        #expect(first == .noDataFolder)
        #expect(second == nil)
        #expect(draft.failure == .noDataFolder)
    }

    @Test("a loss is announced once, and again after another key than the one that leaves")
    func loss() {
        var draft = ComposeDraft()
        draft.keyTaken(isLeave: true)
        _ = draft.save("text", in: noBox)
        let announced = draft.takeLossToAnnounce()
        draft.keyTaken(isLeave: true)
        let whileLeaving = draft.takeLossToAnnounce()
        draft.keyTaken(isLeave: false)
        let afterTyping = draft.takeLossToAnnounce()
        #expect(announced == .noDataFolder)
        #expect(whileLeaving == nil)
        #expect(afterTyping == .noDataFolder)
    }
}
