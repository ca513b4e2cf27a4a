/// All that an installation leaves on the disk, as service managers read it.
struct ServiceFiles: Hashable, Sendable {
    /// A file, or a link that has a service manager start a service.
    struct Entry: Hashable, Sendable {
        enum Content: Hashable, Sendable {
            case text(String)
            /// The path that a symbolic link names.
            case link(String)
        }

        let path: String
        let content: Content
    }

    /// The sentence by which an installation, of whichever version, recognises its own files: it is
    /// a comment in one of the first two lines.
    static let mark = "Written by: memo agent install. Removed by: memo agent uninstall."

    let entries: [Entry]
    /// The folders that are removed with the service where nothing else is in them, the inner ones
    /// first.
    let folders: [String]
}

extension ServiceFiles.Entry {
    /// Whether an installation, or the service manager for it, has made what stands at ``path``.
    func isOurs(_ found: Content) -> Bool {
        switch (content, found) {
        case (.text, .text(let text)):
            return text.split(separator: "\n", omittingEmptySubsequences: false)
                .prefix(2)
                .contains { line in
                    line == "# " + ServiceFiles.mark || line == "<!-- \(ServiceFiles.mark) -->"
                }
        case (.link(let destination), .link(let found)):
            let name = destination.split(separator: "/").last.map(String.init) ?? destination
            return found == destination || found == "../" + name
        case (.text, .link), (.link, .text): return false
        }
    }
}
