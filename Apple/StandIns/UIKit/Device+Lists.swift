// What a person does with lists, alerts and switches.

extension Device {
    private static var table: UITableView {
        guard let table = keyWindow.subtree.lazy.compactMap({ $0 as? UITableView }).first else {
            fatalError("there is no table on \(screenText)")
        }
        return table
    }

    private static func row(_ title: String) -> Int {
        let cells = table.cells ?? []
        let found = cells.firstIndex { cell in
            (cell.contentConfiguration as? UIListContentConfiguration)?.text == title
        }
        guard let found else { fatalError("there is no row \(title) on \(screenText)") }
        return found
    }

    /// The texts of the rows on the screen.
    public static var rows: [String] {
        (table.cells ?? []).map { $0.describedContent ?? "" }
    }

    /// Taps the row with this text.
    public static func tapRow(_ title: String) {
        let (table, row) = (table, row(title))
        table.selected = row
        table.delegate?.tableView(table, didSelectRowAt: IndexPath(row: row, section: 0))
        guard table.selected == nil else { fatalError("a tapped row stays highlighted") }
        showFrame()
    }

    /// Swipes over the row with this text.
    ///
    /// - Returns: The titles that the row offers.
    public static func offers(of title: String) -> [String] {
        swipe(title).map { $0.name ?? "" }
    }

    private static func swipe(_ title: String) -> [UIContextualAction] {
        let path = IndexPath(row: row(title), section: 0)
        let found = table.delegate?.tableView(
            table,
            trailingSwipeActionsConfigurationForRowAt: path
        )
        return found?.offered ?? []
    }

    /// Swipes over the row with this text, and taps what it offers.
    public static func swipe(_ title: String, _ offer: String) {
        guard let action = swipe(title).first(where: { $0.name == offer }) else {
            fatalError("the row \(title) does not offer \(offer)")
        }
        var isDone = false
        action.act(action, table) { _ in isDone = true }
        guard isDone else { fatalError("the action \(offer) is not completed") }
        showFrame()
    }

    /// Pulls the table down.
    public static func pull() {
        guard let refresh = table.refreshControl else { fatalError("the table is not refreshed") }
        refresh.pull()
        showFrame()
    }

    /// Whether the table is being refreshed.
    public static var isRefreshing: Bool { table.refreshControl?.isPulled ?? false }

    /// Switches the switch in the row with this text.
    public static func toggle(_ title: String) {
        guard let control = table.cells?[row(title)].accessoryView as? UISwitch else {
            fatalError("there is no switch in the row \(title)")
        }
        control.toggle()
        showFrame()
    }

    // MARK: Alerts

    /// The question of the alert on the screen.
    public static var question: String? {
        (keyWindow.presented as? UIAlertController)?.question.title
    }

    /// Answers the alert.
    public static func answer(_ title: String) {
        guard let alert = keyWindow.presented as? UIAlertController,
            let action = alert.offered.first(where: { $0.name == title })
        else { fatalError("no alert offers \(title)") }
        keyWindow.presented = nil
        action.act?(action)
        showFrame()
    }

    /// The lines of an alert.
    static func describe(_ alert: UIAlertController, _ lines: inout [String]) {
        lines.append("UIAlertController “\(alert.question.title)” “\(alert.question.message)”")
        for action in alert.offered { lines.append("  UIAlertAction “\(action.name)”") }
    }
}
