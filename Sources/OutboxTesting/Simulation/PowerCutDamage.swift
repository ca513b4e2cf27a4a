/// What a power cut took from a disk.
public struct PowerCutDamage: Hashable, Sendable {
    /// Files that hold what they held at their last sync, and not what was written since.
    public private(set) var droppedWrites = 0
    /// Files that hold neither the one nor the other: the new bytes in part, or zeros for them.
    public private(set) var tornWrites = 0
    /// Names that do not mean what they were made to mean last: files that were made, renamed or
    /// removed, and are not any more.
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
