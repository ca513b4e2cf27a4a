// What the sources use of UIKit's table views. A table has one section, and shows the rows that begin
// above its lower edge; it does not scroll.

@MainActor
public protocol UITableViewDataSource: NSObjectProtocol {
    func tableView(_ tableView: UITableView, numberOfRowsInSection section: Int) -> Int
    func tableView(_ tableView: UITableView, cellForRowAt indexPath: IndexPath) -> UITableViewCell
}

@MainActor
public protocol UITableViewDelegate: UIScrollViewDelegate {
    func tableView(_ tableView: UITableView, didSelectRowAt indexPath: IndexPath)
    func tableView(
        _ tableView: UITableView,
        trailingSwipeActionsConfigurationForRowAt indexPath: IndexPath
    ) -> UISwipeActionsConfiguration?
}

/// Apple: the methods are optional.
extension UITableViewDelegate {
    public func tableView(_ tableView: UITableView, didSelectRowAt indexPath: IndexPath) {}
    public func tableView(
        _ tableView: UITableView,
        trailingSwipeActionsConfigurationForRowAt indexPath: IndexPath
    ) -> UISwipeActionsConfiguration? { nil }
}

extension IndexPath {
    public init(row: Int, section: Int) {
        self.init(indexes: [section, row])
    }

    public var row: Int {
        get { self[1] }
        set { self[1] = newValue }
    }
}

@MainActor
open class UITableView: UIScrollView {
    public enum Style: Sendable {
        case plain
    }

    public enum RowAnimation: Sendable {
        case automatic
    }

    private var classes: [String: UITableViewCell.Type] = [:]
    private var reusable: [UITableViewCell] = []
    /// The cells on the screen, from the first row on; `nil` before the rows are first counted.
    private(set) var cells: [UITableViewCell]?
    private var rows = 0
    private var inserted: [Int] = []
    private var deleted: [Int] = []
    private var isUpdating = false

    public init(frame: CGRect, style: UITableView.Style) {
        super.init(frame: frame)
    }

    public required init?(coder: NSCoder) { super.init(coder: coder) }

    open weak var dataSource: (any UITableViewDataSource)?

    /// Apple: the property of the scroll view, with a narrower type.
    open weak var delegate: (any UITableViewDelegate)?

    open func register(_ cellClass: AnyClass?, forCellReuseIdentifier identifier: String) {
        guard let cellClass = cellClass as? UITableViewCell.Type else {
            fatalError("the class of a cell is none of a table's cell")
        }
        classes[identifier] = cellClass
    }

    open func dequeueReusableCell(
        withIdentifier identifier: String,
        for indexPath: IndexPath
    ) -> UITableViewCell {
        guard let cellClass = classes[identifier] else {
            fatalError("no class is registered for the cells \(identifier)")
        }
        guard let cell = reusable.popLast() else {
            return cellClass.init(style: .default, reuseIdentifier: identifier)
        }
        cell.prepareForReuse()
        return cell
    }

    open func insertRows(at indexPaths: [IndexPath], with animation: UITableView.RowAnimation) {
        note(indexPaths, in: \.inserted)
    }

    open func deleteRows(at indexPaths: [IndexPath], with animation: UITableView.RowAnimation) {
        note(indexPaths, in: \.deleted)
    }

    private func note(_ paths: [IndexPath], in rows: ReferenceWritableKeyPath<UITableView, [Int]>) {
        guard isUpdating else { fatalError("rows change outside of a batch") }
        self[keyPath: rows] += paths.map(\.row)
    }

    /// Apple: deletions count in the order before the batch, insertions in the order after it.
    open func performBatchUpdates(
        _ updates: (() -> Void)?,
        completion: ((Bool) -> Void)? = nil
    ) {
        countRows()
        isUpdating = true
        updates?()
        isUpdating = false
        let now = dataSource?.tableView(self, numberOfRowsInSection: 0) ?? 0
        guard now == rows + inserted.count - deleted.count else {
            fatalError(
                """
                invalid number of rows: \(rows), \(inserted.count) inserted, \(deleted.count) \
                deleted, and the data source says \(now)
                """
            )
        }
        rows = now
        var shown = cells ?? []
        for row in deleted.sorted(by: >) where row < shown.count { retire(shown.remove(at: row)) }
        for row in inserted.sorted() where row <= shown.count {
            shown.insert(makeCell(row), at: row)
        }
        (cells, inserted, deleted) = (shown, [], [])
        windowOfResponder?.needsLayout = true
        completion?(true)
    }

    open func deselectRow(at indexPath: IndexPath, animated: Bool) {
        selected = nil
    }

    // MARK: What the device does

    /// The row that is highlighted.
    var selected: Int?

    private func countRows() {
        guard cells == nil else { return }
        rows = dataSource?.tableView(self, numberOfRowsInSection: 0) ?? 0
        cells = []
    }

    private func makeCell(_ row: Int) -> UITableViewCell {
        guard let dataSource else { fatalError("a table without a data source has rows") }
        let cell = dataSource.tableView(self, cellForRowAt: IndexPath(row: row, section: 0))
        addSubview(cell)
        Device.note("cell \(row)")
        return cell
    }

    private func retire(_ cell: UITableViewCell) {
        cell.removeFromSuperview()
        reusable.append(cell)
    }

    /// Shows the rows that fit, one below the other.
    func layOutRows() {
        countRows()
        var shown = cells ?? []
        var top = frame.origin.y
        let bottom = top + frame.size.height
        for row in 0..<rows {
            guard top < bottom else {
                for cell in shown[row...] { retire(cell) }
                shown.removeSubrange(row...)
                break
            }
            if row == shown.count { shown.append(makeCell(row)) }
            let height = max(44, shown[row].height(forWidth: frame.size.width) ?? 0)
            shown[row].setFrame(
                CGRect(x: frame.origin.x, y: top, width: frame.size.width, height: height)
            )
            top += height
        }
        cells = shown
    }
}

@MainActor
open class UITableViewCell: UIView {
    public enum CellStyle: Sendable {
        case `default`
    }

    public enum AccessoryType: Sendable {
        case none, disclosureIndicator, checkmark
    }

    /// Apple: not required. A subclass without initializers of its own inherits it.
    public required init(style: UITableViewCell.CellStyle, reuseIdentifier: String?) {
        super.init(frame: .zero)
    }

    public required init?(coder: NSCoder) { super.init(coder: coder) }

    open var accessoryType = UITableViewCell.AccessoryType.none

    open var accessoryView: UIView? {
        didSet {
            oldValue?.removeFromSuperview()
            if let accessoryView { addSubview(accessoryView) }
        }
    }

    /// Apple: the cell gets another height by itself.
    public var contentConfiguration: (any UIContentConfiguration)? {
        didSet { windowOfResponder?.needsLayout = true }
    }

    public func defaultContentConfiguration() -> UIListContentConfiguration {
        UIListContentConfiguration()
    }

    open func prepareForReuse() {}

    private var list: UIListContentConfiguration? {
        contentConfiguration as? UIListContentConfiguration
    }

    override var describedContent: String? {
        let mark = accessoryType == .none ? "" : " (\(accessoryType))"
        let texts = [list?.text, list?.secondaryText].compactMap { $0 }
        return texts.filter { !$0.isEmpty }.joined(separator: " | ") + mark
    }

    /// Apple: both texts have as many lines as they need, and grow with the person's text size.
    override func height(forWidth width: CGFloat) -> CGFloat? {
        [list?.text, list?.secondaryText].reduce(24) { height, text in
            height + UILabel.height(of: text ?? "", forWidth: width - 32, lines: 0)
        }
    }
}

public protocol UIContentConfiguration {}

public struct UIListContentConfiguration: UIContentConfiguration, Hashable {
    public var text: String?
    public var secondaryText: String?
}

@MainActor
open class UISwipeActionsConfiguration: NSObject {
    var offered: [UIContextualAction] = []

    public convenience init(actions: [UIContextualAction]) {
        self.init()
        offered = actions
    }
}

@MainActor
open class UIContextualAction: NSObject {
    public enum Style: Sendable {
        case normal, destructive
    }

    public typealias Handler = (UIContextualAction, UIView, @escaping (Bool) -> Void) -> Void

    private(set) var name: String?
    private(set) var act: UIContextualAction.Handler = { _, _, done in done(false) }

    public convenience init(
        style: UIContextualAction.Style,
        title: String?,
        handler: @escaping UIContextualAction.Handler
    ) {
        self.init()
        (name, act) = (title, handler)
    }
}
