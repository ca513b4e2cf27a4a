import Foundation
import KilledProcess
import TemporaryFolders
import Testing
import Waiting

@Suite(.timeLimit(.minutes(60))) struct KilledProcessTests {
    @Test("a program that a test has started ends when the test's process is killed")
    func parentKilled() async throws {
        let folder = try TemporaryFolder()
        // The program keeps this pipe open as long as it lives.
        let promised = folder.file("promised")
        try #require(mkfifo(promised, 0o600) == 0)
        let reader = open(promised, O_RDONLY | O_NONBLOCK)
        defer { close(reader) }
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = folder.path as String] in
            let writer = try KilledProcess("OfflineWriter", ["records", path, "0"])
            #expect(writer.waitUntilItBegins())
            kill(getpid(), SIGKILL)
        }
        // The end comes when the last writer is gone.
        try await waitUntil {
            var bytes = [UInt8](repeating: 0, count: 4096)
            return read(reader, &bytes, bytes.count) == 0
        }
    }
}
