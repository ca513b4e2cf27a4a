import MemoCore
import OutboxCore
import Testing

@Suite("A mailed code that waits to be entered")
struct OpenCodeTests {
    private static let start = WallTime(millisecondsSinceEpoch: 1_800_000_000_000)

    private func time(_ seconds: Int64) -> WallTime { Self.start.advanced(by: .seconds(seconds)) }

    @Test("wrong, used up and expired are three answers")
    func answers() {
        var code = OpenCode(mailedAt: Self.start)
        for left in [4, 3, 2, 1] {
            #expect(code.rejected(at: time(60)) == .wrong(triesLeft: left))
            #expect(code.canBeTried(at: time(60)))
        }
        #expect(code.rejected(at: time(60)) == .noTriesLeft)
        #expect(!code.canBeTried(at: time(60)))
        var old = OpenCode(mailedAt: Self.start)
        #expect(old.rejected(at: time(600)) == .expired)
        #expect(old.rejections == 0)
    }

    @Test("can be tried for ten minutes, and not after the clock was set back")
    func time() {
        let code = OpenCode(mailedAt: Self.start)
        #expect(code.canBeTried(at: time(0)) && code.canBeTried(at: time(599)))
        #expect(!code.canBeTried(at: time(600)) && !code.canBeTried(at: time(-1)))
    }
}
