/// The states in which a power cut may leave a disk, in the manner of ALICE ([Pillai et al., OSDI
/// 2014](https://www.usenix.org/conference/osdi14/technical-sessions/presentation/pillai)).
///
/// Each change of a folder since its last sync survives or does not, independently of all others.
/// Each file with unsynced bytes holds the old bytes, the new bytes, the first half of the new
/// bytes, or zeros in place of the new bytes.
public struct CrashStates: Sendable {
    private enum Choice: Sendable {
        /// The possible meanings of a name: the durable one, or that of any change since.
        case entry(folder: Int, name: String, nodes: [Int?])
        case content(file: Int, bytes: [[UInt8]])

        var options: Int {
            switch self {
            case .entry(_, _, let nodes): nodes.count
            case .content(_, let bytes): bytes.count
            }
        }
    }

    private let content: SimulatedDisk.Content
    private let choices: [Choice]
    private let combinations: Combinations

    /// Makes the states in which a power cut may leave a disk with this content.
    public init(_ content: SimulatedDisk.Content) {
        self.content = content
        var choices: [Choice] = []
        for (node, folder) in content.folders.sorted(by: { $0.key < $1.key }) {
            let changes = Dictionary(grouping: folder.unsynced, by: \.name)
            for (name, changes) in changes.sorted(by: { $0.key < $1.key }) {
                var nodes = [folder.durable[name]]
                for change in changes.reversed() where !nodes.contains(change.node) {
                    nodes.append(change.node)
                }
                if nodes.count > 1 {
                    choices.append(.entry(folder: node, name: name, nodes: nodes))
                }
            }
        }
        for (node, file) in content.files.sorted(by: { $0.key < $1.key })
        where file.bytes != file.durable {
            choices.append(.content(file: node, bytes: Self.contents(of: file)))
        }
        self.choices = choices
        combinations = Combinations(of: choices.map(\.options))
    }

    /// The state in which every change is lost that may be lost.
    public var worst: SimulatedDisk.Content { state(combinations.first) }

    /// A random state. All combinations of outcomes are equally likely.
    public func any(using random: inout some RandomNumberGenerator) -> SimulatedDisk.Content {
        state(combinations.any(using: &random))
    }

    /// Calls `body` with each state, or, where there are too many, with the states that
    /// ``Combinations/forEach(using:_:)`` visits: nothing lost, all lost, all but one thing the
    /// same, and random states from `random`.
    public func forEach(
        _ random: inout SeededRandom,
        _ body: (SimulatedDisk.Content) throws -> Void
    ) rethrows {
        try combinations.forEach(using: &random) { try body(state($0)) }
    }

    /// Option 0 is the durable state, option 1 the state that was written last.
    private func state(_ picked: [Int]) -> SimulatedDisk.Content {
        var result = content
        for node in content.folders.keys {
            result.folders[node]?.entries = content.folders[node]?.durable ?? [:]
            result.folders[node]?.unsynced = []
        }
        for (choice, option) in zip(choices, picked) {
            switch choice {
            case .entry(let folder, let name, let nodes):
                result.folders[folder]?.entries[name] = nodes[option]
            case .content(let file, let bytes):
                result.files[file]?.bytes = bytes[option]
            }
        }
        for (node, folder) in result.folders { result.folders[node]?.durable = folder.entries }
        result.removeUnnamed()
        for (node, file) in result.files { result.files[node]?.durable = file.bytes }
        return result
    }

    private static func contents(of file: SimulatedDisk.File) -> [[UInt8]] {
        let (old, new) = (file.durable, file.bytes)
        let half = Array(new.prefix(new.count / 2))
        let zeros = [UInt8](repeating: 0, count: new.count)
        return [
            old, new, half, half + old.dropFirst(half.count), half + zeros.dropFirst(half.count),
            zeros,
        ]
    }
}

extension SimulatedDisk.Content {
    /// Frees the files that no folder names, which no process has open after a power cut.
    fileprivate mutating func removeUnnamed() {
        let named = Set(folders.values.flatMap(\.entries.values))
        files = files.filter { named.contains($0.key) }
    }
}

/// The damage that a power cut caused on a disk.
public struct PowerCutDamage: Hashable, Sendable {
    /// The number of files that lost every write since their last sync.
    public private(set) var droppedWrites = 0
    /// The number of files that hold a part of the new bytes, or zeros in place of them.
    public private(set) var tornWrites = 0
    /// The number of names whose last change was lost: the making, renaming or removal of a file.
    public private(set) var droppedNames = 0

    init(from before: SimulatedDisk.Content, to after: SimulatedDisk.Content) {
        for (node, file) in before.files where file.bytes != file.durable {
            guard let left = after.files[node]?.bytes, left != file.bytes else { continue }
            if left == file.durable { droppedWrites += 1 } else { tornWrites += 1 }
        }
        for (node, folder) in before.folders {
            let left = after.folders[node]?.entries ?? [:]
            droppedNames += Set(folder.entries.keys).union(left.keys)
                .count { folder.entries[$0] != left[$0] }
        }
    }
}
