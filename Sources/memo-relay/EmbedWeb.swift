import ArgumentParser
import RelayServer

/// `memo-relay embed-web`: makes one file of the program and the web app.
struct EmbedWeb: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Write a copy of this program that holds a web app.",
        discussion: """
            "memo-relay serve" then serves it without being told where it is. A copy that holds \
            another one already gets the new one in its place.

            Exit codes: 0; 1 if a file cannot be read or written, in which case OUTPUT is as it \
            was; 64 for a mistake in the options.
            """
    )

    @Argument(help: "The folder of the web app.")
    var folder: String

    @Argument(help: "The file to write.")
    var output: String

    func run() throws {
        do {
            try WebBundle.embed(folder: folder, output: output)
        } catch {
            throw complain(error.sentence(folder: folder, output: output))
        }
    }
}

extension WebBundleError {
    /// - Parameter folder: `nil` for the web app that the program holds.
    func sentence(folder: String?, output: String? = nil) -> String {
        let origin = folder ?? "in this program"
        return switch self {
        case .unreadable: "the web app \(origin) cannot be read."
        case .noIndex: "the web app \(origin) has no index.html."
        case .tooLarge: "the web app \(origin) has more than 1000 files or more than 32 MiB."
        case .unusableName:
            "a file of the web app \(origin) has a name with other characters than ASCII letters, "
                + "digits, dot, hyphen and underscore."
        case .damaged:
            "the web app \(origin) is damaged. Install the program anew, or name a folder with --web."
        case .unwritable: "\(output ?? "the copy") cannot be written."
        }
    }
}
