public import OutboxCore

/// The reason for which a refresh failed. What was cached stays, with its age.
///
/// A function that fetches throws these; another error of it becomes ``failed(type:)``.
@nonexhaustive public enum RefreshFailure: Error, Hashable, Sendable {
    /// The server cannot be reached.
    case offline
    /// The server did not answer within ``RepositorySettings/flightLimit``, or not within the time limit
    /// of ``FetchPolicy/networkOnly(timeLimit:)``.
    case timedOut
    /// The server answered with an error.
    case refused(ReasonCode)
    /// The function that fetches threw an error of this type.
    case failed(type: String)
    /// The server answered, and the cache could not store the answer. The value is shown and not kept.
    case cache(CacheError)
    /// The answer could not be encoded. The value is shown and not kept.
    case notEncodable
}

/// The reason for which a repository has no value to give.
@nonexhaustive public enum RepositoryError: Error, Hashable, Sendable {
    /// Nothing is cached, or the network alone was asked; and the refresh failed.
    case unavailable(RefreshFailure)
    /// Nothing is cached, and the cache alone was asked.
    case notCached
    /// The cache cannot be read or written.
    case cache(CacheError)
    /// A local change cannot be encoded.
    case notEncodable
    /// The task was cancelled while it waited.
    case cancelled
}
