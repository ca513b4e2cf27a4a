public import OutboxCore
public import SyncCore

/// An app's server, as a device talks to it: three calls, whatever carries them.
///
/// ```swift
/// struct GroceryServer: SyncServer {
///     func pull(_ request: PullRequest) async throws -> ServerAnswer<PullAnswer> { … }
///     func push(_ request: PushRequest) async throws -> ServerAnswer<PushAnswer> { … }
///     func answer(to question: AskRequest) async throws -> ServerAnswer<PushAnswer?> { … }
/// }
/// ```
///
/// The server's duties to a device are listed in the article *What a server owes a device* of `SyncCore`.
///
/// ## Errors
/// A call that throws says that there is no answer, and nothing else: the change may have been applied or
/// not. So a definite refusal of the server is an *answer* (`PushAnswer.refused`), also where the server
/// says it with the status 200 and a list of refusals. Throw a ``SyncFailure``; any other error counts as
/// ``SyncFailure/failed(type:)``. A redirect, an HTML page of a café's network, and bytes that cannot be
/// decoded are errors and no answers.
///
/// A call that takes longer than ``SyncSettings/requestLimit`` is cancelled, and its answer not taken.
public protocol SyncServer: Sendable {
    /// Gets the rows behind a cursor, in the order of their versions.
    func pull(_ request: PullRequest) async throws -> ServerAnswer<PullAnswer>

    /// Applies one change, if the row still has the version that the change was made on, and at most once.
    func push(_ request: PushRequest) async throws -> ServerAnswer<PushAnswer>

    /// Gets the answer to an earlier push, which was lost; `nil` if the server has never heard of that
    /// change and attempt.
    func answer(to question: AskRequest) async throws -> ServerAnswer<PushAnswer?>
}

/// An answer with the server's wall clock, which keeps a device's own from ruling the order of edits.
public struct ServerAnswer<Content: Sendable>: Sendable {
    /// The answer.
    public let content: Content
    /// The server's wall clock when it answered, such as the field `Date` of HTTP.
    public let serverTime: WallTime

    /// Makes an answer.
    public init(_ content: Content, serverTime: WallTime) {
        self.content = content
        self.serverTime = serverTime
    }
}

/// The reason for which a call to the server, or a run, failed. Nothing is confirmed by one.
@nonexhaustive public enum SyncFailure: Error, Hashable, Sendable {
    /// The server cannot be reached. The next arrival of a network ends the wait.
    case offline
    /// The server did not answer within ``SyncSettings/requestLimit``.
    case timedOut
    /// The server asks for a wait; `nil` if it does not say how long.
    case busy(retryAfter: Milliseconds?)
    /// The server answered with an error of this code, such as `http.500`: no person's words.
    case server(ReasonCode)
    /// The call threw another error, of this type.
    case failed(type: String)
    /// The server contradicts itself: a page made no progress, or a pull from the beginning is refused.
    case stalled
    /// The answer could not be stored. The server has it, and is asked again.
    case records(SyncError)
}
