import Store
import StoreCore

struct Cell: Entity, Sendable {
    typealias RawID = Int
    let id: EntityID<Cell>
    var value = 0
    var isOdd: Bool { !value.isMultiple(of: 2) }
}

enum ByParity: IndexGrouping {
    static func group(of cell: Cell) -> Int? { cell.isOdd ? 1 : 0 }
    static func key(of cell: Cell) -> EntityID<Cell>? { cell.id }
}

struct CellIndexes: EntityIndexes, Sendable {
    var byParity = GroupedIndex<ByParity>()

    mutating func update(_ change: EntityChange<Cell>) {
        byParity.update(change)
    }
}

/// The state that the threads change. Every commit keeps `sum` equal to the sum of the cells, and
/// counts itself.
struct World: Sendable {
    static let size = 16

    var commits = 0
    var sum = 0
    var cells = EntityTable<Cell, CellIndexes>(
        (0..<size).map { Cell(id: EntityID($0)) }
    )

    mutating func add(_ amount: Int, to cell: Int) {
        commits += 1
        sum += amount
        cells.update(EntityID(cell)) { $0.value += amount }
    }

    var isWhole: Bool { sumOfCells == sum }

    var sumOfCells: Int { cells.reduce(0) { $0 + $1.value } }
}

struct Refusal: Error {}
