import LibC
public import MemoKit

extension DataFolder {
    /// Names the folder that the environment asks for: `MEMO_HOME`, else the platform's folder for
    /// application data.
    ///
    /// - Parameter variable: Looks up one environment variable.
    /// - Returns: `nil` when neither `MEMO_HOME` nor `HOME` (nor `XDG_DATA_HOME`) is set.
    public init?(environment variable: (String) -> String?) {
        func value(_ name: String) -> String? {
            guard let value = variable(name), !value.isEmpty else { return nil }
            return value
        }
        if let chosen = value("MEMO_HOME") {
            self.init(path: chosen)
            return
        }
        #if canImport(Darwin)
            guard let home = value("HOME") else { return nil }
            self.init(path: home + "/Library/Application Support/Simple Memo")
        #else
            // A relative XDG_DATA_HOME is to be ignored:
            // https://specifications.freedesktop.org/basedir-spec/latest/
            if let data = value("XDG_DATA_HOME"), data.utf8.first == 0x2F {
                self.init(path: data + "/simple-memo")
            } else if let home = value("HOME") {
                self.init(path: home + "/.local/share/simple-memo")
            } else {
                return nil
            }
        #endif
    }

    /// The folder that this process's environment asks for.
    ///
    /// - Throws: ``MemoError/noDataFolder`` when the environment names no home.
    public static func current() throws(MemoError) -> DataFolder {
        let folder = DataFolder { name in getenv(name).map { String(cString: $0) } }
        guard let folder else { throw .noDataFolder }
        return folder
    }
}
