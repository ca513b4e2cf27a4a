import BackgroundTasks
import Dispatch
import UIKit

/// Time in which the app goes on running although it is not on the screen. The system says when it is
/// over; by then it has to be given back.
@MainActor
final class BackgroundTime {
    /// Gives the time back, and says whether all was done.
    private var giveBack: ((Bool) -> Void)?

    /// Asks for time, as the app leaves the screen.
    ///
    /// - Parameter whenOver: Gives the time back. Called on the main thread, which may be suspended
    ///   when it returns. Not called for time that was given back before.
    init(whenOver: @escaping @MainActor (BackgroundTime) -> Void = { $0.end() }) {
        let task = UIApplication.shared.beginBackgroundTask { [weak self] in
            guard let self else { return }
            whenOver(self)
        }
        guard task != .invalid else { return }
        giveBack = { _ in UIApplication.shared.endBackgroundTask(task) }
    }

    /// The time of a task that the system has granted.
    ///
    /// - Parameter whenOver: Gives the time back soon. Called on the main thread.
    init(of task: BGTask, whenOver: @escaping @MainActor (BackgroundTime) -> Void) {
        giveBack = { isDone in task.setTaskCompleted(success: isDone) }
        // On a thread of the system's.
        task.expirationHandler = { @Sendable [weak self] in
            DispatchQueue.main.async {
                MainActor.assumeIsolated {
                    guard let self, !self.isOver else { return }
                    whenOver(self)
                }
            }
        }
    }

    /// Whether the time was given back, or the system gave none.
    var isOver: Bool { giveBack == nil }

    /// Gives the time back. Does nothing where that has happened.
    func end(isDone: Bool = true) {
        giveBack?(isDone)
        giveBack = nil
    }
}
