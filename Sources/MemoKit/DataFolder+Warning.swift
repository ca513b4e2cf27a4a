import LibC
import OutboxCore

extension DataFolder {
    private var waitingWarningFile: String { path + "/waiting-warned" }

    /// The moment of the last warning that a memo waits for long; `nil` for none.
    var waitingWarning: WallTime? {
        let descriptor = open(waitingWarningFile, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 32)
        let count = read(descriptor, &bytes, bytes.count)
        guard count > 0 else { return nil }
        let digits = String(decoding: bytes[..<count].prefix { $0 != 0x0A }, as: UTF8.self)
        return Int64(digits).map { WallTime(millisecondsSinceEpoch: $0) }
    }

    /// Notes the moment of a warning. Where that fails, the warning comes again.
    func noteWaitingWarning(at moment: WallTime) {
        let flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW
        let descriptor = open(waitingWarningFile, flags, 0o600)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        let line = Array("\(moment.millisecondsSinceEpoch)\n".utf8)
        _ = write(descriptor, line, line.count)
    }
}
