internal import MemoKit

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// Why standard input is no memo, where ``MemoKit/MemoError`` has no place to say it exactly.
public enum InputError: Error, Hashable, CustomStringConvertible {
    /// The first byte that is not UTF-8, counted from 0.
    case notUTF8(offset: Int)
    /// Reading failed with this `errno`.
    case unreadable(code: Int32)

    public var description: String {
        switch self {
        case .notUTF8(let offset):
            "Standard input is not valid UTF-8 at byte \(offset). Nothing was sent; convert it "
                + "and send it again."
        case .unreadable(let code):
            "Standard input cannot be read (\(String(cString: strerror(code)))). Nothing was sent."
        }
    }
}

/// Standard input, as a memo.
public enum StandardInput {
    public static var isTerminal: Bool { isatty(STDIN_FILENO) != 0 }

    /// Reads all of it, less one newline at its end.
    ///
    /// Holds at most one byte more than a memo may have.
    ///
    /// - Throws: ``MemoKit/MemoError/tooLong(limit:)``, or ``InputError``.
    public static func readMemo() throws -> String {
        try memo(of: STDIN_FILENO, limit: MemoBox.maximumTextLength)
    }

    static func memo(of descriptor: Int32, limit: Int) throws -> String {
        var bytes = try read(descriptor, atMost: limit + 1)
        if bytes.count > limit {
            let isEnd = try read(descriptor, atMost: 1).isEmpty
            guard isEnd, bytes.last == 0x0A else { throw MemoError.tooLong(limit: limit) }
        }
        if bytes.last == 0x0A { bytes.removeLast() }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw InputError.notUTF8(offset: firstInvalid(in: bytes))
        }
        return text
    }

    /// Reads until the end, or until `limit` bytes are there.
    private static func read(_ descriptor: Int32, atMost limit: Int) throws -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: min(limit, 1 << 16))
        while bytes.count < limit {
            let wanted = min(chunk.count, limit - bytes.count)
            #if canImport(Darwin)
                let count = Darwin.read(descriptor, &chunk, wanted)
            #elseif canImport(Musl)
                let count = Musl.read(descriptor, &chunk, wanted)
            #else
                let count = Glibc.read(descriptor, &chunk, wanted)
            #endif
            if count == 0 { break }
            if count > 0 {
                bytes += chunk[..<count]
            } else if errno == EAGAIN {
                var ready = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                poll(&ready, 1, -1)
            } else if errno != EINTR {
                throw InputError.unreadable(code: errno)
            }
        }
        return bytes
    }

    /// The offset of the first byte of the first ill-formed sequence.
    static func firstInvalid(in bytes: [UInt8]) -> Int {
        var decoder = UTF8()
        var iterator = bytes.makeIterator()
        var offset = 0
        while case .scalarValue(let scalar) = decoder.decode(&iterator) {
            offset += UTF8.width(scalar)
        }
        return offset
    }
}
