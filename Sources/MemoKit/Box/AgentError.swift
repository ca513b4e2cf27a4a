import LibC
public import OutboxCore

/// A failure in the log of the agent, with the time of its latest occurrence.
public struct AgentError: Hashable, Sendable {
    /// The time of the latest occurrence, by the clock of the device.
    public let time: WallTime
    /// The failure, in the words of the log.
    public let reason: ReasonCode

    /// The failures after the latest success, each once, the latest first.
    ///
    /// A success is a memo that was delivered, or an answer to the question for news. Only the end of
    /// a long log is read.
    static func all(inLog path: String) -> [AgentError] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return [] }
        defer { close(descriptor) }
        let size = lseek(descriptor, 0, SEEK_END)
        lseek(descriptor, max(0, size - 65536), SEEK_SET)
        var bytes = [UInt8](repeating: 0, count: 65536)
        let count = read(descriptor, &bytes, bytes.count)
        guard count > 0 else { return [] }
        return all(in: bytes[..<count])
    }

    /// The failures in the lines of a log.
    static func all(in log: some BidirectionalCollection<UInt8>) -> [AgentError] {
        var errors: [AgentError] = []
        for line in log.split(separator: 0x0A).reversed() {
            let words = line.split(separator: 0x20)
            if words.contains(where: { $0.elementsEqual("state=delivered".utf8) })
                || words.suffix(2).map({ Array($0) }) == [
                    Array("statuses".utf8), Array("read".utf8),
                ]
            {
                break
            }
            guard
                let time = words.first.flatMap({
                    Dates.time(utc: String(decoding: $0, as: UTF8.self))
                }),
                let field = words.first(where: { $0.starts(with: "error=".utf8) })
            else { continue }
            let reason = ReasonCode(utf8: Array(field.dropFirst("error=".utf8.count)))
            guard reason.isPlain, !errors.contains(where: { $0.reason == reason }) else { continue }
            errors.append(AgentError(time: time, reason: reason))
        }
        return errors
    }
}
