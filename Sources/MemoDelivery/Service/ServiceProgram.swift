import MemoKit

/// The program that a service runs, and the part of a person's environment that it needs: what
/// names the data folder, the place of a new key, and the certificates that it trusts.
struct ServiceProgram: Hashable, Sendable {
    /// A variable of the environment.
    struct Variable: Hashable, Sendable {
        let name: String
        let value: String
    }

    /// The absolute path of `memo-agent`.
    let path: String
    let environment: [Variable]

    /// - Parameters:
    ///   - path: The absolute path of `memo-agent`.
    ///   - variable: Looks up one variable of the person's environment. A variable that is empty
    ///     counts as missing.
    /// - Throws: ``ServiceError/unfit(_:)`` when no format of service files carries the path or the
    ///   value of a variable.
    init(path: String, variable: (String) -> String?) throws(ServiceError) {
        var environment: [Variable] = []
        for name in ["MEMO_HOME", "XDG_DATA_HOME", "MEMO_KEY_STORE", "SSL_CERT_FILE"] {
            guard var value = variable(name), !value.isEmpty else { continue }
            // The service has another working folder.
            if name == "MEMO_HOME" { value = DataFolder(path: value).path }
            // A relative path is to be ignored:
            // https://specifications.freedesktop.org/basedir-spec/latest/
            let isAbsolute = value.utf8.first == 0x2F
            if name == "XDG_DATA_HOME" || name == "SSL_CERT_FILE", !isAbsolute { continue }
            environment.append(Variable(name: name, value: value))
        }
        for text in [path] + environment.map(\.value) where !Self.isPlain(text) {
            throw .unfit(text)
        }
        self.path = path
        self.environment = environment
    }

    /// Whether a text has neither control characters nor noncharacters. XML 1.0 cannot carry most of
    /// them, and systemd ignores an assignment with a noncharacter (`utf8_is_valid`).
    private static func isPlain(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { scalar in
            scalar.value >= 0x20 && scalar.value != 0x7F
                && !scalar.properties.isNoncharacterCodePoint
        }
    }
}
