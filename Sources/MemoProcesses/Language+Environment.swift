import LibC
import MemoKit
public import MemoTexts

extension Language {
    /// The language in which this process speaks to a person: the one chosen for the data folder,
    /// else the one that the environment asks for. Looked up once.
    public static let ofThisProcess: Language = {
        let folder = try? DataFolder.current()
        return folder?.chosenLanguage ?? ofEnvironment
    }()

    /// The language that this process's environment asks for.
    public static var ofEnvironment: Language {
        Language { name in
            getenv(name.description).map { Array(String(cString: $0).utf8) }
        }
    }
}
