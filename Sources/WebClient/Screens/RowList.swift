import OutboxCore

/// A list on the page whose rows have identities: rows come and go one by one, so that the other
/// rows keep focus and selection.
struct RowList {
    let list: Name
    let template: Name
    private(set) var shown: [(id: [UInt8], row: UInt32)] = []
    private var lastRow: UInt32 = 0

    init(_ list: Name, template: Name) {
        self.list = list
        self.template = template
    }

    /// Removes and adds rows until `ids` are shown, in their order. Rows that stay keep their
    /// order.
    ///
    /// - Returns: The row of each.
    mutating func show(_ ids: [[UInt8]], on host: Host) -> [UInt32] {
        shown.removeAll { row in
            guard !ids.contains(row.id) else { return false }
            host.remove(Element(list, row: row.row))
            return true
        }
        var next: UInt32 = 0
        for id in ids.reversed() {
            if let known = shown.first(where: { $0.id == id }) {
                next = known.row
            } else {
                lastRow += 1
                host.addRow(lastRow, to: list, from: template, before: next)
                shown.append((id, lastRow))
                next = lastRow
            }
        }
        return ids.map { id in shown.first { $0.id == id }?.row ?? 0 }
    }

    func id(of row: UInt32) -> [UInt8]? {
        shown.first { $0.row == row }?.id
    }
}
