/// The memory of the web app's module: small rather than clever, because the browser loads it.
///
/// Blocks come in few sizes: multiples of 16 bytes up to 128, then four sizes for each doubling, so
/// that at most a fifth of a longer block is unused. A freed block waits in the list of its size
/// for the next request of that size. So memory never grows beyond the sum of what was in use, at
/// most, of each size.
public struct Heap {
    /// Where blocks begin in memory: every address is a multiple of this.
    public static let alignment = 16
    /// The size of memory that the host grows at a time.
    private static let page = 65_536
    /// Before each block, the number of its size.
    private static let header = 4
    /// More than the number of the largest size; a multiple of 4, so that blocks are aligned after
    /// the lists.
    private static let sizes = 104
    /// The longest request, so that no sum overflows.
    private static let longest = 1 << 30

    /// For each size, the first block that waits. A waiting block begins with the address of the
    /// next one.
    private var waiting: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
    /// The memory that was never used.
    private var fresh: UnsafeMutableRawPointer?
    private var end: UnsafeMutableRawPointer?

    /// Makes a heap without memory.
    public init() {}

    /// Returns memory for `length` bytes.
    ///
    /// - Parameters:
    ///   - length: The number of bytes.
    ///   - grow: Gets a number of bytes; returns the address of as many new ones, which are zero,
    ///     or `nil` if there are none. Addresses are multiples of ``alignment``.
    /// - Returns: `nil` if there is no memory, and for a negative length.
    /// - Complexity: O(1).
    public mutating func allocate(
        _ length: Int,
        grow: (Int) -> UnsafeMutableRawPointer?
    ) -> UnsafeMutableRawPointer? {
        guard 0...Self.longest ~= length else { return nil }
        let (number, size) = Self.size(for: length)
        if let block = waiting?[number] {
            waiting?[number] = block.load(as: UnsafeMutableRawPointer?.self)
            return block
        }
        guard let block = take(size, grow) else { return nil }
        (block - Self.header).storeBytes(of: UInt32(number), as: UInt32.self)
        return block
    }

    /// Takes back a block of ``allocate(_:grow:)``, which nothing uses any more.
    ///
    /// - Complexity: O(1).
    public mutating func free(_ block: UnsafeMutableRawPointer) {
        let number = Int((block - Self.header).load(as: UInt32.self))
        block.storeBytes(of: waiting?[number], as: UnsafeMutableRawPointer?.self)
        waiting?[number] = block
    }

    /// The number of the least size that holds `length` bytes and the next block's header, and the
    /// size.
    private static func size(for length: Int) -> (number: Int, size: Int) {
        let units = (length + header + alignment - 1) / alignment
        guard units > 8 else { return (units, units * alignment) }
        let shift = (units - 1).bitWidth - (units - 1).leadingZeroBitCount - 3
        let steps = (units - 1) >> shift + 1
        return (shift * 4 + steps, steps << shift * alignment)
    }

    /// Takes a block from memory that was never used.
    private mutating func take(
        _ size: Int,
        _ grow: (Int) -> UnsafeMutableRawPointer?
    ) -> UnsafeMutableRawPointer? {
        if let fresh, let end, end - fresh >= size {
            self.fresh = fresh + size
            return fresh
        }
        // The lists, before the first block, and the first block's header.
        let lists = Self.sizes * MemoryLayout<UnsafeMutableRawPointer?>.stride
        let length = (size + lists + Self.alignment + Self.page - 1) / Self.page * Self.page
        guard let start = grow(length) else { return nil }
        var block = start + Self.alignment
        if start == end, let fresh {
            block = fresh
        } else if waiting == nil {
            waiting = start.assumingMemoryBound(to: UnsafeMutableRawPointer?.self)
            block += lists
        }
        fresh = block + size
        end = start + length
        return block
    }
}
