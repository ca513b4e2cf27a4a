/// A message as it follows `DATA`, in chunks: each line that begins with a dot gets another one, and
/// a line with one dot ends the message
/// ([RFC 5321, section 4.5.2](https://www.rfc-editor.org/rfc/rfc5321#section-4.5.2)).
struct SMTPText: Hashable, Sendable {
    /// The usual number of bytes of a chunk, without the dots that are added: what libcurl sends at once.
    static let usualChunk = 65_536

    /// A part of a message. Copies nothing of it.
    struct Chunk: Hashable, Sendable {
        let message: [UInt8]
        let range: Range<Int>

        /// Whether the final dot is behind this part.
        var isLast: Bool { range.upperBound == message.count }

        /// The bytes to send, in pieces: most are the message's own.
        ///
        /// - Parameter write: Takes each piece; its pointer is valid during the call.
        /// - Complexity: O(length of the part).
        func forEachPiece(_ write: (UnsafeRawBufferPointer) -> Void) {
            message.withUnsafeBytes { bytes in
                var start = range.lowerBound
                for index in range
                where bytes[index] == UInt8(ascii: ".") && Self.beginsLine(index, of: bytes) {
                    // The dot is in this piece, and once more in the next one.
                    write(UnsafeRawBufferPointer(rebasing: bytes[start...index]))
                    start = index
                }
                write(UnsafeRawBufferPointer(rebasing: bytes[start..<range.upperBound]))
                guard isLast else { return }
                let isLineEnded = Self.beginsLine(bytes.count, of: bytes)
                Array((isLineEnded ? ".\r\n" : "\r\n.\r\n").utf8).withUnsafeBytes(write)
            }
        }

        private static func beginsLine(_ index: Int, of bytes: UnsafeRawBufferPointer) -> Bool {
            index == 0
                || index >= 2 && bytes[index - 2] == UInt8(ascii: "\r")
                    && bytes[index - 1] == UInt8(ascii: "\n")
        }
    }

    private let message: [UInt8]
    private let chunkSize: Int
    private var position = 0

    /// - Parameters:
    ///   - message: Header and body, lines ended by CR LF.
    ///   - chunkSize: The number of bytes of a chunk.
    init(_ message: [UInt8], chunkSize: Int = usualChunk) {
        self.message = message
        self.chunkSize = chunkSize
    }

    /// The next part. To be called until a part is the last one, and not any more.
    mutating func next() -> Chunk {
        let end = min(message.count, position + chunkSize)
        defer { position = end }
        return Chunk(message: message, range: position..<end)
    }
}
