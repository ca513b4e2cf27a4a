import Foundation

/// This process's resident memory, in kilobytes, as the kernel counts it (proc(5)).
enum Memory {
    struct Unknown: Error {}

    static func resident() throws -> Int { try status("VmRSS:") }
    /// The most since the process began.
    static func peak() throws -> Int { try status("VmHWM:") }

    private static func status(_ name: String) throws -> Int {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix(name) }
        guard let value = line?.split(whereSeparator: \.isWhitespace).dropFirst().first,
            let kilobytes = Int(value)
        else { throw Unknown() }
        return kilobytes
    }
}
