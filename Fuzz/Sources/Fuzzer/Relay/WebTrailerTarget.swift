import Crypto

@testable import RelayServer

/// The web app behind a program: the input as its end, as entries of a right checksum, and as the
/// material of an app.
func fuzzWebTrailer(_ input: [UInt8]) {
    let foot = Array(input.suffix(WebTrailer.footLength))
    if let length = try? WebTrailer.entriesLength(foot: foot), length <= input.count - foot.count {
        let entries = Array(input.dropLast(foot.count).suffix(length))
        agree("with any checksum", try? WebTrailer.decode(entries: entries, foot: foot), nil)
    }
    let right =
        Array(SHA256.hash(data: input)) + bigEndian(UInt64(input.count), bytes: 8)
        + Array("SMWEB001".utf8)
    agree("length", try? WebTrailer.entriesLength(foot: right), input.count)
    agree("read", try? WebTrailer.decode(entries: input, foot: right), contents(of: input))

    var material = Material(input)
    var app: [String: [UInt8]] = [:]
    while let path = material.optionalName(longest: 255) {
        app[String(decoding: path.prefix(80), as: UTF8.self)] = material.name(longest: 2000)
    }
    let written = WebTrailer.encode(app)
    let end = Array(written.suffix(48))
    let entries = Array(written.dropLast(48))
    agree("length again", try? WebTrailer.entriesLength(foot: end), entries.count)
    agree("read again", try? WebTrailer.decode(entries: entries, foot: end), app)
    agree("by the model", contents(of: entries), app)
}

private func contents(of entries: [UInt8]) -> [String: [UInt8]]? {
    var contents: [String: [UInt8]] = [:]
    var rest = entries
    while !rest.isEmpty {
        var parts: [[UInt8]] = []
        for count in [2, 4] {
            if rest.count < count { return nil }
            let length = number(rest.prefix(count))
            rest.removeFirst(count)
            if UInt64(rest.count) < length { return nil }
            parts.append(Array(rest.prefix(Int(length))))
            rest.removeFirst(Int(length))
        }
        guard let path = String(validating: parts[0], as: UTF8.self) else { return nil }
        contents[path] = parts[1]
    }
    return contents
}
