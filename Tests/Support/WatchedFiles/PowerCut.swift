package import OutboxTesting

/// The contents that a disk may have after a power cut, in the manner of ALICE
/// ([Pillai et al., OSDI
/// 2014](https://www.usenix.org/conference/osdi14/technical-sessions/presentation/pillai)).
///
/// Each file, and each name changed since the folder was synced, for itself. A file with unsynced
/// changes holds none of them, all, the first few, one alone, all but one, one of them torn between
/// two sectors, any of their sectors, its new length without the new bytes, or garbage where a
/// sector was being written. Bytes beside those written keep their value, as SQLite takes for
/// granted (<https://sqlite.org/psow.html>).
package struct PowerCut {
    private static let sector = 512

    private struct Choice {
        let options: Int
        /// Option 0 is what was durable, option 1 what came last.
        let apply: (Int, inout [String: Int?], inout [Int: [UInt8]]) -> Void
    }

    private let disk: RecordedDisk
    private let choices: [Choice]

    package init(_ disk: RecordedDisk, _ random: inout SeededRandom) {
        self.disk = disk
        var choices: [Choice] = []
        for name in Set(disk.unsyncedNames.map(\.name)).sorted() {
            var files = [disk.durableNames[name]]
            for change in disk.unsyncedNames.reversed() where change.name == name {
                if !files.contains(change.file) { files.append(change.file) }
            }
            guard files.count > 1 else { continue }
            choices.append(
                Choice(options: files.count) { option, names, _ in names[name] = files[option] }
            )
        }
        for (number, file) in disk.files.sorted(by: { $0.key < $1.key })
        where !file.unsynced.isEmpty {
            let contents = Self.contents(of: file, &random)
            choices.append(
                Choice(options: contents.count) { option, _, files in
                    files[number] = contents[option]
                }
            )
        }
        self.choices = choices
    }

    /// Calls `body` with each state, a name and its bytes, or, where they are too many, with those
    /// that `Combinations.forEach` visits: nothing kept, everything kept, and all but one thing the
    /// same, and random ones from `random`.
    package func forEach(
        _ random: inout SeededRandom,
        _ body: ([String: [UInt8]]) throws -> Void
    ) rethrows {
        try Combinations(of: choices.map(\.options)).forEach(using: &random) {
            try body(state($0))
        }
    }

    /// One of the states, any of them.
    package func any(using random: inout SeededRandom) -> [String: [UInt8]] {
        state(choices.map { Int.random(in: 0..<$0.options, using: &random) })
    }

    private func state(_ picked: [Int]) -> [String: [UInt8]] {
        var names = disk.durableNames.mapValues(Int?.some)
        var files = disk.files.mapValues(\.durable)
        for (choice, option) in zip(choices, picked) { choice.apply(option, &names, &files) }
        return names.compactMapValues { $0.flatMap { files[$0] } }
    }

    private static func contents(
        of file: RecordedDisk.File,
        _ random: inout SeededRandom
    ) -> [[UInt8]] {
        let count = file.unsynced.count
        let new = file.content { _ in true }
        var contents = [file.durable, new]
        for number in 0..<count {
            contents.append(file.content { $0 <= number })
            contents.append(file.content { $0 == number })
            contents.append(file.content { $0 != number })
        }
        contents.append(
            Array(new.prefix(file.durable.count))
                + [UInt8](repeating: 0, count: max(0, new.count - file.durable.count))
        )
        for number in 0..<count {
            guard case .write(let offset, let bytes) = file.unsynced[number] else { continue }
            let before = file.content { $0 < number }
            let sectors = offset / sector...(offset + bytes.count - 1) / sector
            guard sectors.count > 1 else { continue }
            let middle =
                Int.random(in: sectors.lowerBound + 1...sectors.upperBound, using: &random)
                * sector
            for kept in [offset..<middle, middle..<offset + bytes.count] {
                var torn = before
                RecordedDisk.Change.write(
                    offset: kept.lowerBound,
                    bytes: Array(bytes[kept.lowerBound - offset..<kept.upperBound - offset])
                ).apply(to: &torn)
                contents.append(torn)
            }
        }
        for isGarbage in [false, false, true] {
            contents.append(someSectors(of: file, new, isGarbage: isGarbage, &random))
        }
        return contents
    }

    /// Some sectors of the new bytes, the others as they were, or of any content if `isGarbage`.
    private static func someSectors(
        of file: RecordedDisk.File,
        _ new: [UInt8],
        isGarbage: Bool,
        _ random: inout SeededRandom
    ) -> [UInt8] {
        var bytes = new
        for change in file.unsynced {
            guard case .write(let offset, let written) = change else { continue }
            var place = offset
            while place < offset + written.count {
                let end = min(offset + written.count, (place / sector + 1) * sector)
                defer { place = end }
                guard Bool.random(using: &random) else { continue }
                for index in place..<end where index < bytes.count {
                    let old = index < file.durable.count ? file.durable[index] : 0
                    bytes[index] =
                        isGarbage ? UInt8(truncatingIfNeeded: random.next()) : old
                }
            }
        }
        return bytes
    }
}
