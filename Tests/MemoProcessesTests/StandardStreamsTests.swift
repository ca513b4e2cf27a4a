import Foundation
import MemoProcesses
import Testing

@Suite("Standard output and standard error")
struct StandardStreamsTests {
    #if os(Linux)
        /// A terminal and its other end, which reads what the terminal gets.
        private static func terminal() throws -> (terminal: Int32, reader: Int32) {
            let reader = open("/dev/ptmx", O_RDWR | O_NOCTTY)
            var (isLocked, number): (Int32, UInt32) = (0, 0)
            // Of <asm-generic/ioctls.h>, which no module has: TIOCSPTLCK and TIOCGPTN.
            try #require(ioctl(reader, 0x4004_5431, &isLocked) == 0)
            try #require(ioctl(reader, 0x8004_5430, &number) == 0)
            let terminal = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY)
            try #require(terminal >= 0)
            return (terminal, reader)
        }

        /// The bytes up to a newline. The kernel hands over in parts what one call has written.
        private static func line(from reader: Int32) -> String {
            var line: [UInt8] = []
            var waited = pollfd(fd: reader, events: Int16(POLLIN), revents: 0)
            while line.last != 0x0A, poll(&waited, 1, 300_000) == 1 {
                var byte: UInt8 = 0
                guard read(reader, &byte, 1) == 1 else { break }
                line.append(byte)
            }
            return String(decoding: line, as: UTF8.self)
        }

        @Test("a terminal gets no control character but newline and tab")
        func terminal() async {
            await #expect(processExitsWith: .success) {
                let (terminal, reader) = try StandardStreamsTests.terminal()
                for descriptor in [STDOUT_FILENO, STDERR_FILENO] {
                    try #require(dup2(terminal, descriptor) == descriptor)
                }
                let writes: [(String) -> Void] = [
                    { StandardOutput.write($0) }, { StandardError.write($0) },
                ]
                for write in writes {
                    write("\u{1B}]0;title\u{7}\t\u{9B}31mü\r\u{7F}\n")
                    let shown = StandardStreamsTests.line(from: reader)
                    // The terminal itself makes the end of the line.
                    #expect(shown == "\u{FFFD}]0;title\u{FFFD}\t\u{FFFD}31mü\u{FFFD}\u{FFFD}\r\n")
                }
            }
        }
    #endif

    @Test("a program gets the text unchanged")
    func program() async {
        await #expect(processExitsWith: .success) {
            var ends: [Int32] = [-1, -1]
            try #require(pipe(&ends) == 0 && dup2(ends[1], STDOUT_FILENO) == STDOUT_FILENO)
            StandardOutput.write("\u{1B}[31m\r\u{9B}\n")
            var bytes = [UInt8](repeating: 0, count: 1024)
            let count = read(ends[0], &bytes, bytes.count)
            let shown = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
            #expect(shown == "\u{1B}[31m\r\u{9B}\n")
        }
    }
}
