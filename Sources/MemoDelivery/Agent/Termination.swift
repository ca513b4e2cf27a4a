import Dispatch
import LibC

/// Runs `work`, and cancels `work` on SIGTERM, SIGINT or SIGHUP.
///
/// Returns when `work` has returned, so that an attempt under way can end in order.
public func untilTerminated<Result: Sendable, Failure: Error>(
    _ work: @escaping @Sendable () async throws(Failure) -> Result
) async throws(Failure) -> Result {
    let asked = AsyncStream<Void>.makeStream()
    var sources: [any DispatchSourceSignal] = []
    for number in [SIGTERM, SIGINT, SIGHUP] {
        let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
        source.setEventHandler { asked.continuation.yield() }
        // A signal that comes before ends the process, as if it had not started: ignored any
        // earlier, it would be lost, and the work would go on.
        await withCheckedContinuation { registered in
            source.setRegistrationHandler {
                #if canImport(Darwin)
                    signal(number, SIG_IGN)
                #endif
                registered.resume()
            }
            source.activate()
        }
        sources.append(source)
    }
    let task = Task<Swift.Result<Result, Failure>, Never> {
        do throws(Failure) {
            return .success(try await work())
        } catch {
            return .failure(error)
        }
    }
    let watch = Task {
        for await _ in asked.stream { task.cancel() }
    }
    defer {
        watch.cancel()
        for source in sources { source.cancel() }
    }
    return try await task.value.get()
}
