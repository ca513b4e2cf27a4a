import LibC
public import MemoCourier
public import MemoProcesses

extension RelayLocation {
    /// The value of `MEMO_RELAY`, else the default URL of a relay on this machine.
    public static var configured: String {
        let chosen = getenv("MEMO_RELAY").map { String(cString: $0) } ?? ""
        return chosen.isEmpty ? "http://127.0.0.1:8080" : chosen
    }
}

extension RelayLocationError: EndingError {
    public var exitStatus: ExitStatus { .usage }
}
