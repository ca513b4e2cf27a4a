import MemoKit
import MemoTexts
import Store

/// The list of languages without a screen: the system's choice, and ten.
@MainActor
final class LanguagesModel: ListModel {
    /// `nil` for the system's choice.
    typealias RowID = Language?

    let screen: ListScreen
    private let chosen: Store<Language?>
    private let parts: AppParts
    private let dissolve: @MainActor (@escaping @MainActor () -> Void) -> Void

    /// - Parameter dissolve: Runs a change of what is seen, and lets the former picture pass into the
    ///   new one.
    init(
        _ parts: AppParts,
        dissolve: @escaping @MainActor (@escaping @MainActor () -> Void) -> Void
    ) {
        self.parts = parts
        self.dissolve = dissolve
        screen = ListScreen(title: .language, clock: parts.clock)
        chosen = Store(parts.choices.chosenLanguage)
    }

    func rows() -> Derived<[RowID]> {
        chosen.derived { _ in [nil] + Language.allCases }
    }

    func row(_ id: RowID) -> Derived<ListRow> {
        .combine(chosen.derived { $0 == id }, parts.language.derived(\.self)) {
            isChosen,
            language in
            ListRow(
                title: id?.ownName.description ?? language.string(AppText.languageAutomatic),
                mark: isChosen ? .chosen : .none
            )
        }
    }

    func tapped(_ id: RowID) {
        dissolve { [self] in
            do {
                try parts.choices.choose(id)
                chosen.commit { $0 = id }
                parts.deliveries.sharedChanged()
            } catch {
                screen.say(.text(.settingsNotSaved))
            }
        }
    }
}
