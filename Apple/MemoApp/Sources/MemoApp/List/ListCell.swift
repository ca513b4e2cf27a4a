import Store
import UIKit

/// A row on the screen. It follows what its row shows, and is drawn again for that alone.
final class ListCell: UITableViewCell {
    private var subscription: Subscription?

    override func prepareForReuse() {
        super.prepareForReuse()
        subscription = nil
    }

    /// - Parameter switched: Called when the person switches the row's switch.
    func follow(_ row: Derived<ListRow>, switched: @escaping @MainActor (Bool) -> Void) {
        subscription = row.sinkValue { [weak self] row in
            MainActor.assumeIsolated { self?.draw(row, switched) }
        }
    }

    private func draw(_ row: ListRow, _ switched: @escaping @MainActor (Bool) -> Void) {
        var content = defaultContentConfiguration()
        content.text = row.title
        content.secondaryText = row.detail
        contentConfiguration = content
        accessoryView = nil
        switch row.mark {
        case .none: accessoryType = .none
        case .chosen: accessoryType = .checkmark
        case .opens: accessoryType = .disclosureIndicator
        case .isOn(let isOn):
            accessoryType = .none
            let control = UISwitch()
            control.isOn = isOn
            control.addAction(
                UIAction { [weak control] _ in
                    if let control { switched(control.isOn) }
                },
                for: .valueChanged
            )
            accessoryView = control
        }
    }
}
