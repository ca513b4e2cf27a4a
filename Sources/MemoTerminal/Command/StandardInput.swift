import LibC
import MemoCore
import MemoKit
public import MemoProcesses
public import MemoTexts

/// A failure to read standard input as text.
public enum InputError: EndingError, Hashable {
    /// The first byte that is not UTF-8, counted from 0.
    case notUTF8(offset: Int)
    /// Reading failed with this `errno`.
    case unreadable(code: Int32)

    public func sentence(in language: Language) -> String {
        switch self {
        case .notUTF8(let offset): language.string(.inputNotUTF8, "\(offset)")
        case .unreadable(let code): language.string(.inputUnreadable, systemMessage(code))
        }
    }

    public var exitStatus: ExitStatus { .badInput }
}

/// Standard input as text.
public enum StandardInput {
    public static var isTerminal: Bool { isatty(STDIN_FILENO) != 0 }

    /// Reads standard input to its end, and leaves out one newline at the end.
    ///
    /// Holds at most one byte more than a memo may have.
    ///
    /// - Throws: ``MemoKit/MemoError/tooLong(limit:)``, or ``InputError``.
    public static func readMemo() throws -> String {
        let limit = MemoBox.maximumTextLength
        return try text(of: STDIN_FILENO, limit: limit, tooLong: .tooLong(limit: limit))
    }

    /// Reads a signature from standard input, and leaves out one newline at the end.
    ///
    /// Holds at most one byte more than a signature may have.
    ///
    /// - Throws: ``MemoKit/MemoError/signatureTooLong``, or ``InputError``.
    public static func readSignature() throws -> String {
        let limit = Signature.maximumLength
        return try text(of: STDIN_FILENO, limit: limit, tooLong: .signatureTooLong)
    }

    static func text(of descriptor: Int32, limit: Int, tooLong: MemoError) throws -> String {
        var bytes = try read(descriptor, atMost: limit + 1)
        if bytes.count > limit {
            let isEnd = try read(descriptor, atMost: 1).isEmpty
            guard isEnd, bytes.last == 0x0A else { throw tooLong }
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
            let count = LibC.read(descriptor, &chunk, wanted)
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
