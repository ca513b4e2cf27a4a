import Dispatch
import Outbox
import OutboxCore

/// The app's source of time. A test provides its own.
struct AppClock: Sendable {
    /// The microseconds since an arbitrary moment. Setting the wall clock does not affect it.
    var microseconds: @Sendable () -> Int64
    /// The time of day, which may be set.
    var wallTime: @Sendable () -> WallTime
    /// Calls a function on the main thread after some milliseconds.
    var after: @MainActor (Int64, @escaping @MainActor () -> Void) -> Void

    static let system = AppClock(
        microseconds: { Int64(DispatchTime.now().uptimeNanoseconds / 1000) },
        wallTime: OutboxClock.system.wallTime,
        after: { milliseconds, body in
            DispatchQueue.main.asyncAfter(deadline: .now() + .milliseconds(Int(milliseconds))) {
                MainActor.assumeIsolated { body() }
            }
        }
    )
}
