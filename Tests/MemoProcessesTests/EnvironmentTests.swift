import MemoKit
import MemoProcesses
import Testing

@Suite("The folder of the environment")
struct EnvironmentTests {
    @Test("MEMO_HOME counts before XDG_DATA_HOME, and that before HOME")
    func order() {
        func path(_ environment: [String: String]) -> String? {
            DataFolder { environment[$0] }?.path
        }
        #expect(path(["MEMO_HOME": "/m/", "XDG_DATA_HOME": "/x", "HOME": "/h"]) == "/m")
        #expect(path([:]) == nil)
        #if os(Linux)
            #expect(path(["XDG_DATA_HOME": "/x", "HOME": "/h"]) == "/x/simple-memo")
            #expect(path(["HOME": "/h"]) == "/h/.local/share/simple-memo")
            #expect(
                path(["XDG_DATA_HOME": "relative", "HOME": "/h"]) == "/h/.local/share/simple-memo"
            )
            #expect(
                path(["MEMO_HOME": "", "XDG_DATA_HOME": "", "HOME": "/h"])
                    == "/h/.local/share/simple-memo"
            )
        #endif
    }
}
