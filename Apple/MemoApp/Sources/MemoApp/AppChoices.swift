import MemoDoors
import MemoKit
import MemoTexts
import Store

/// What the person has chosen for the app on this device.
@MainActor
final class AppChoices {
    /// The language that the app speaks.
    let language: Store<Language>
    /// The language that was chosen in the app; `nil` for the system's, which a person may choose for
    /// each app.
    private(set) var chosenLanguage: Language?
    /// Whether the text is covered while the app is not in front.
    private(set) var coversText: Bool
    private let folder: DataFolder
    private let preferred: @MainActor () -> [String]

    /// - Parameter preferred: The system's languages for this app, as BCP 47 tags, the preferred one
    ///   first.
    init(folder: DataFolder, preferred: @escaping @MainActor () -> [String]) {
        self.folder = folder
        self.preferred = preferred
        chosenLanguage = folder.chosenLanguage
        coversText = folder.coversText
        language = Store(chosenLanguage ?? Language(preferring: preferred()))
    }

    /// Chooses a language; `nil` for the system's.
    ///
    /// - Throws: ``MemoKit/MemoError``; the former choice stays.
    func choose(_ language: Language?) throws(MemoError) {
        try folder.chooseLanguage(language)
        chosenLanguage = language
        let spoken = language ?? Language(preferring: preferred())
        self.language.commit { $0 = spoken }
    }

    /// Takes over what the folder has: another device may have changed it.
    func adopt() {
        coversText = folder.coversText
        guard folder.chosenLanguage != chosenLanguage else { return }
        chosenLanguage = folder.chosenLanguage
        let spoken = chosenLanguage ?? Language(preferring: preferred())
        language.commit { $0 = spoken }
    }

    /// - Throws: ``MemoKit/MemoError``; the former choice stays.
    func coverText(_ covers: Bool) throws(MemoError) {
        try folder.coverText(covers)
        coversText = covers
    }
}
