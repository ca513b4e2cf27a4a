import Foundation
import Measurement

/// A design that is often met: one file for each operation, and no index. To find what is next it
/// lists the folder and reads every file. Lighter than the real ones: no JSON, no seal, no sync.
struct RereadFolder: Contender {
    private struct Entry {
        let path: String
        let created: UInt64
        let payload: [UInt8]
    }

    let path: String

    init(path: String) throws {
        self.path = path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    func enqueue() throws {
        let created = UInt64(DispatchTime.now().uptimeNanoseconds)
        let bytes = withUnsafeBytes(of: created.bigEndian, Array.init) + payload
        try Data(bytes).write(to: URL(fileURLWithPath: "\(path)/\(UUID().uuidString.lowercased())"))
    }

    func fill(_ count: Int) throws {
        for _ in 0..<count { try enqueue() }
    }

    /// Three at a time, as many as an outbox has in flight, after each reading of the folder.
    func drain(_ count: Int) throws {
        for _ in stride(from: 0, to: count, by: 3) {
            for entry in try entries().sorted(by: { $0.created < $1.created }).prefix(3) {
                consume(entry.payload)
                guard unlink(entry.path) == 0 else { throw POSIXError(.init(rawValue: errno)!) }
            }
        }
    }

    private func entries() throws -> [Entry] {
        guard let folder = opendir(path) else { throw POSIXError(.init(rawValue: errno)!) }
        defer { closedir(folder) }
        var entries: [Entry] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while let found = readdir(folder) {
            let name = withUnsafePointer(to: &found.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            guard !name.hasPrefix(".") else { continue }
            let descriptor = open("\(path)/\(name)", O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { throw POSIXError(.init(rawValue: errno)!) }
            defer { close(descriptor) }
            let length = read(descriptor, &buffer, buffer.count)
            guard length > 8 else { throw POSIXError(.EIO) }
            entries.append(
                Entry(
                    path: "\(path)/\(name)",
                    created: buffer[..<8].reduce(0) { $0 << 8 | UInt64($1) },
                    payload: Array(buffer[8..<length])
                )
            )
        }
        return entries
    }
}
