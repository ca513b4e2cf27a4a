import EditLine

/// One position on the line being edited, as libedit sees it: a character, or a stand-in.
typealias Cell = wchar_t

/// Makes each base letter and its combining marks one cell.
///
/// libedit gives every character of no width a cell on the screen that the next character takes
/// over, so that marks vanish: Thai or Hindi could not be read. A letter with marks is therefore
/// edited as one stand-in of the same width, and written to the terminal as what it stands for.
/// The stand-ins are private-use and rare ideographic characters; one of those in a memo gets a
/// stand-in itself, so that nothing is ambiguous.
///
/// Joiners and variation selectors belong to a cell but are not drawn: terminals disagree about the
/// width of joined emoji, and agree about their parts. The memo keeps them.
struct CellTable {
    private static let narrow: ClosedRange<UInt32> = 0x10_0000...0x10_FFFD
    private static let wide: ClosedRange<UInt32> = 0x2_0000...0x2_A6D0

    private var cells: [[UInt32]: Cell] = [:]
    private var clusters: [Cell: [UInt32]] = [:]
    private var narrowCount: UInt32 = 0
    private var wideCount: UInt32 = 0

    /// Whether new stand-ins are about to run out.
    var isNearlyFull: Bool { narrowCount > 20_000 || wideCount > 20_000 }

    /// The cells for `scalars`. Adds a stand-in only where one is needed.
    mutating func encode(_ scalars: some Sequence<UInt32>) -> [Cell] {
        var result: [Cell] = []
        var cluster: [UInt32] = []
        for scalar in scalars {
            if let base = cluster.first, !Self.isBreak(base), Self.isZeroWidth(scalar) {
                cluster.append(scalar)
                continue
            }
            if !cluster.isEmpty { append(cluster, to: &result) }
            cluster.removeAll(keepingCapacity: true)
            cluster.append(scalar)
        }
        if !cluster.isEmpty { append(cluster, to: &result) }
        return result
    }

    /// The characters that `cells` stand for.
    func decode(_ cells: some Sequence<Cell>) -> [UInt32] {
        var result: [UInt32] = []
        for cell in cells {
            if let cluster = clusters[cell] {
                result += cluster
            } else {
                result.append(UInt32(bitPattern: cell))
            }
        }
        return result
    }

    /// The characters that stand on the screen for a stand-in; `nil` for a character that is not a
    /// stand-in.
    func drawn(_ scalar: UInt32) -> [UInt32]? {
        guard Self.narrow.contains(scalar) || Self.wide.contains(scalar) else { return nil }
        return clusters[Cell(bitPattern: scalar)]?.filter { !Self.isHidden($0) }
    }

    private mutating func append(_ cluster: [UInt32], to result: inout [Cell]) {
        let base = cluster[0]
        let isReserved = Self.narrow.contains(base) || Self.wide.contains(base)
        if cluster.count == 1, !isReserved {
            result.append(Cell(bitPattern: base))
        } else if let cell = cells[cluster] ?? add(cluster) {
            result.append(cell)
        } else {
            result += cluster.map { Cell(bitPattern: $0) }
        }
    }

    private mutating func add(_ cluster: [UInt32]) -> Cell? {
        let next: UInt32
        if editline_width(Cell(bitPattern: cluster[0])) == 2 {
            next = Self.wide.lowerBound + wideCount
            guard Self.wide.contains(next) else { return nil }
            wideCount += 1
        } else {
            next = Self.narrow.lowerBound + narrowCount
            guard Self.narrow.contains(next) else { return nil }
            narrowCount += 1
        }
        let cell = Cell(bitPattern: next)
        cells[cluster] = cell
        clusters[cell] = cluster
        return cell
    }

    /// Whether a character starts no cluster: controls, and marks without a letter before them.
    private static func isBreak(_ scalar: UInt32) -> Bool {
        scalar < 0x20 || (0x7F..<0xA0).contains(scalar) || isZeroWidth(scalar)
    }

    /// Whether a character belongs to the cell of the one before it.
    static func isZeroWidth(_ scalar: UInt32) -> Bool {
        scalar >= 0x300 && editline_is_zero_width(Cell(bitPattern: scalar))
    }

    private static func isHidden(_ scalar: UInt32) -> Bool {
        switch scalar {
        case 0x200B...0x200F, 0x202A...0x202E, 0x2060...0x2069, 0xFE00...0xFE0F, 0xFEFF,
            0xE0000...0xE0FFF:
            true
        default: false
        }
    }
}
