public import MemoCore
public import MemoCourier
public import MemoKit
public import MemoProcesses

extension SignIn {
    /// Signs in for a program: queued memos call an agent.
    public init(box: MemoBox, client: RelayClient = .ofEnvironment) {
        self.init(box: box, client: client) { () throws(MemoError) in try box.summonAgent() }
    }
}

extension SignIn.Failure: EndingError {
    public var exitStatus: ExitStatus {
        switch self {
        case .relay(let error, _): error.exitStatus
        case .device(let error): error.exitStatus
        case .noCode, .noTriesLeft, .expired: .badInput
        }
    }
}

extension RelayTrouble: EndingError {
    public var exitStatus: ExitStatus {
        switch self {
        case .invalidAddress, .codeRejected: .badInput
        case .tooManyRequests: .temporaryFailure
        case .unreachable, .untrusted, .notARelay, .handleMissing, .relayFailed: .unavailable
        }
    }
}
