public import OfflineFirst
public import SyncCore

/// A call of `SyncServer`.
public enum SyncCall: Hashable, Sendable, CaseIterable {
    /// A request for the rows behind a cursor.
    case pull
    /// A request to apply a change.
    case push
    /// A question for the answer to an earlier push.
    case ask
}

/// A fault of a ``MemorySyncServer``, or of the network before it.
public enum SyncFault: Hashable, Sendable {
    /// The request does not arrive: the server does nothing, and the call throws the failure. Also an error
    /// of a server that has done nothing, such as `.server("http.503")`.
    case requestLost(SyncFailure = .offline)
    /// The server does its work, and the answer does not arrive: the call throws the failure. Also an error
    /// behind the work, such as `.server("http.502")` of a proxy.
    case answerLost(SyncFailure = .offline)
    /// The request arrives twice, as when a proxy repeats it. The call returns the second answer.
    case repeated
    /// A push is answered by a conflict, as a server answers with the status 412, although the row is the
    /// one that the change was made on. A pull and a question have no such answer, and go on.
    case preconditionFailed
    /// A push is refused by an answer, as a server may say inside the status 200. A pull and a question go
    /// on.
    case refused(RefusalReason)
}
