import AppIntents
import MemoDoors

/// Stores a memo without opening the app, for Siri and Shortcuts. It ends at once, with or without a network.
struct SendMemoIntent: AppIntent {
    static let title: LocalizedStringResource = "Send memo"
    static let description: IntentDescription? = "Stores a memo and sends it to your own inbox."

    @Parameter(title: "Text", inputOptions: String.IntentInputOptions(multiline: true))
    var text: String

    /// - Returns: The sentence that tells what becomes of the memo.
    /// - Throws: A sentence; nothing was stored.
    func perform() async throws -> some IntentResult & ProvidesDialog {
        let sentence = try await storing(text)
        await DoorEvents.ofProcess.post(.memoStored)
        return .result(dialog: IntentDialog(stringLiteral: sentence))
    }

    private func storing(_ text: String) async throws(NotStored) -> String {
        let language = AppFolder.ofProcess.language
        do throws(DoorError) {
            return try await MemoDoor.ofProcess.sentence(afterStoring: text, in: language)
        } catch {
            throw NotStored(sentence: error.sentence(in: language))
        }
    }
}

/// The error of a memo that was not stored, in the person's language.
struct NotStored: Error, CustomLocalizedStringResourceConvertible {
    let sentence: String

    var localizedStringResource: LocalizedStringResource {
        LocalizedStringResource(stringLiteral: sentence)
    }
}
