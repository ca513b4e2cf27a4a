internal import Dispatch
internal import Foundation

/// Runs `work`, and cancels it when the process is asked to end (SIGTERM, SIGINT, SIGHUP).
///
/// The process then ends by itself once `work` has settled what was under way.
public func untilTerminated<Result: Sendable, Failure: Error>(
    _ work: @escaping @Sendable () async throws(Failure) -> Result
) async throws(Failure) -> Result {
    let task = Task<Swift.Result<Result, Failure>, Never> {
        do throws(Failure) {
            return .success(try await work())
        } catch {
            return .failure(error)
        }
    }
    let sources = [SIGTERM, SIGINT, SIGHUP].map { number in
        signal(number, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
        source.setEventHandler { task.cancel() }
        source.activate()
        return source
    }
    defer { for source in sources { source.cancel() } }
    return try await task.value.get()
}
