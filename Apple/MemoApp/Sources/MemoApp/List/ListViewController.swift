import MemoKit
import MemoTexts
import Store
import UIKit

/// The screen of a list: a button that closes it, its title, a line for a sentence, and the rows.
final class ListViewController<Model: ListModel>: ScreenController {
    private let model: Model
    private let language: Store<Language>
    private let close: @MainActor () -> Void
    private let heading = UILabel(.headline)
    private let notice = NoticeLabel(.footnote)
    private lazy var closing = UIButton(
        configuration: .plain(),
        primaryAction: UIAction { [weak self] _ in self?.close() }
    )
    private lazy var table = ListTable(
        ListTable.Rows(
            show: { [weak self] cell, row in self?.show(cell, row) },
            tapped: { [weak self] row in
                if let self { model.tapped(ids[row]) }
            },
            swipe: { [weak self] row in
                UISwipeActionsConfiguration(actions: self?.offers(of: row) ?? [])
            }
        )
    )
    /// The rows that the table has.
    private var ids: [Model.RowID] = []
    private var subscriptions: [Subscription] = []

    /// - Parameter close: Shows the screen before.
    init(model: Model, language: Store<Language>, close: @escaping @MainActor () -> Void) {
        self.model = model
        self.language = language
        self.close = close
        super.init()
    }

    override func viewDidLoad() {
        super.viewDidLoad()
        setUpViews()
        subscriptions = [
            language.sinkState { [weak self] changes in
                MainActor.assumeIsolated { self?.translate(to: changes.current) }
            },
            model.screen.store.sinkState { [weak self] changes in
                MainActor.assumeIsolated { self?.draw(changes) }
            },
            model.rows().sinkValue { [weak self] rows in
                MainActor.assumeIsolated { self?.show(rows) }
            },
        ]
        model.begin()
    }

    // MARK: Views

    private func setUpViews() {
        if model.isRefreshable {
            let refresh = UIRefreshControl()
            refresh.addAction(
                UIAction { [weak self] _ in self?.model.refresh() },
                for: .valueChanged
            )
            table.view.refreshControl = refresh
        }
        let safe = view.safeAreaLayoutGuide
        // VoiceOver goes through them in this order.
        for part in [closing, heading, notice, table.view] {
            part.translatesAutoresizingMaskIntoConstraints = false
            view.addSubview(part)
        }
        var constraints = [
            closing.topAnchor.constraint(equalTo: safe.topAnchor, constant: 0),
            closing.heightAnchor.constraint(greaterThanOrEqualToConstant: Metrics.target),
            closing.trailingAnchor.constraint(
                equalTo: safe.trailingAnchor,
                constant: -Metrics.gap
            ),
            heading.topAnchor.constraint(equalTo: closing.bottomAnchor, constant: 0),
            notice.topAnchor.constraint(equalTo: heading.bottomAnchor, constant: Metrics.gap),
            table.view.topAnchor.constraint(equalTo: notice.bottomAnchor, constant: Metrics.gap),
            table.view.bottomAnchor.constraint(equalTo: view.bottomAnchor, constant: 0),
        ]
        for (part, gap) in [(heading, Metrics.gap), (notice, Metrics.gap), (table.view, 0)] {
            constraints += [
                part.leadingAnchor.constraint(equalTo: safe.leadingAnchor, constant: gap),
                part.trailingAnchor.constraint(equalTo: safe.trailingAnchor, constant: -gap),
            ]
        }
        NSLayoutConstraint.activate(constraints)
    }

    // MARK: Drawing

    private func translate(to language: Language) {
        traitOverrides.layoutDirection = language.isRightToLeft ? .rightToLeft : .leftToRight
        closing.configuration?.title = language.string(.close)
        heading.text = language.string(model.screen.store.state.title)
        notice.show(notice(in: language))
        for part in [closing, heading, notice, table.view] {
            part.accessibilityLanguage = language.tag.description
        }
    }

    private func notice(in language: Language) -> String? {
        model.screen.store.state.notice?.sentence.words(in: language)
    }

    private func draw(_ changes: Changes<ListFrame>) {
        changes.ifChanged({ $0.notice }) { _ in notice.show(notice(in: language.state)) }
        changes.ifChanged({ $0.question }) { question in
            if let question { ask(question) }
        }
        changes.ifChanged({ $0.isRefreshing }) { isRefreshing in
            if !isRefreshing { table.view.refreshControl?.endRefreshing() }
        }
    }

    private func ask(_ question: ListQuestion) {
        let language = language.state
        let alert = UIAlertController(
            title: language.string(question.title),
            message: question.message.words(in: language),
            preferredStyle: .alert
        )
        let answers = [(question.confirm, true), (AppText.cancel, false)]
        for (text, isConfirmed) in answers {
            alert.addAction(
                UIAlertAction(
                    title: language.string(text),
                    style: isConfirmed ? .destructive : .cancel
                ) { [weak self] _ in
                    self?.model.screen.answered(isConfirmed)
                }
            )
        }
        present(alert, animated: true)
    }

    // MARK: Rows

    private func show(_ rows: [Model.RowID]) {
        let difference = rows.difference(from: ids)
        guard !difference.isEmpty else { return }
        ids = rows
        table.change(by: difference)
    }

    private func show(_ cell: ListCell, _ row: Int) {
        let id = ids[row]
        cell.follow(model.row(id)) { [weak self] isOn in self?.model.switched(id, to: isOn) }
    }

    private func offers(of row: Int) -> [UIContextualAction] {
        let id = ids[row]
        return model.row(id).value.offers.map { offer in
            UIContextualAction(
                style: offer.isDestructive ? .destructive : .normal,
                title: language.state.string(offer.text)
            ) { [weak self] _, _, done in
                self?.model.take(offer, of: id)
                // The row goes, if it does, when the list has heard.
                done(!offer.isDestructive)
            }
        }
    }
}
