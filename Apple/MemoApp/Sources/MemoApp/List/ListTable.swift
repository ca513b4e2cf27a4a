import Store
import UIKit

/// The table of a list: rows by number.
final class ListTable: NSObject, UITableViewDataSource, UITableViewDelegate {
    /// What the rows are, and what follows a touch.
    struct Rows {
        var show: @MainActor (ListCell, Int) -> Void
        var tapped: @MainActor (Int) -> Void
        var swipe: @MainActor (Int) -> UISwipeActionsConfiguration
    }

    private static let cells = "row"

    let view = UITableView(frame: .zero, style: .plain)
    private let rows: Rows
    private var count = 0

    init(_ rows: Rows) {
        self.rows = rows
        super.init()
        view.register(ListCell.self, forCellReuseIdentifier: Self.cells)
        view.dataSource = self
        view.delegate = self
    }

    /// Removes and adds rows, as they were and became.
    func change<ID: Hashable>(by difference: CollectionDifference<ID>) {
        view.performBatchUpdates { [self] in
            var (removed, inserted): ([IndexPath], [IndexPath]) = ([], [])
            for change in difference {
                switch change {
                case .remove(let row, _, _): removed.append(IndexPath(row: row, section: 0))
                case .insert(let row, _, _): inserted.append(IndexPath(row: row, section: 0))
                }
            }
            count += inserted.count - removed.count
            view.deleteRows(at: removed, with: .automatic)
            view.insertRows(at: inserted, with: .automatic)
        }
    }

    func tableView(_ tableView: UITableView, numberOfRowsInSection section: Int) -> Int { count }

    func tableView(_ tableView: UITableView, cellForRowAt indexPath: IndexPath) -> UITableViewCell {
        let cell = tableView.dequeueReusableCell(withIdentifier: Self.cells, for: indexPath)
        if let cell = cell as? ListCell { rows.show(cell, indexPath.row) }
        return cell
    }

    func tableView(_ tableView: UITableView, didSelectRowAt indexPath: IndexPath) {
        tableView.deselectRow(at: indexPath, animated: true)
        rows.tapped(indexPath.row)
    }

    func tableView(
        _ tableView: UITableView,
        trailingSwipeActionsConfigurationForRowAt indexPath: IndexPath
    ) -> UISwipeActionsConfiguration? {
        rows.swipe(indexPath.row)
    }
}
