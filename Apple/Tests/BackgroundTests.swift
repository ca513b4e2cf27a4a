@_spi(Device) import BackgroundTasks
import Foundation
import Outbox
import TemporaryFolders
import Testing
@_spi(Device) import UIKit

extension OneDevice {
    /// What the system does to an app that keeps what it has to give back, as the stand-ins do it.
    @MainActor
    @Suite("The stand-in of the background")
    struct BackgroundTests {
        init() {
            Device.reset()
            Device.forgetRequests()
        }

        @Test("a launch handler that is registered after the launch ends the test")
        func late() async {
            let result = await #expect(
                processExitsWith: .failure,
                observing: [\.standardErrorContent]
            ) {
                _ = BGTaskScheduler.shared.register(forTaskWithIdentifier: "late", using: nil) {
                    _ in
                }
            }
            #expect(result.says("registered after the launch"))
        }

        @Test("a task of the scheduler that is not ended in time ends the test")
        func notEnded() async {
            let result = await #expect(
                processExitsWith: .failure,
                observing: [\.standardErrorContent]
            ) {
                _ = await run { $0.expirationHandler = { @Sendable in } }
                    .expire(within: 0.1)
            }
            #expect(result.says("a background task was not ended in time"))
        }

        @Test("a handler of the main actor that the system calls elsewhere ends the test")
        func elsewhere() async {
            let result = await #expect(
                processExitsWith: .failure,
                observing: [\.standardErrorContent]
            ) {
                _ = await run { $0.expirationHandler = { Elsewhere.count += 1 } }.expire()
            }
            // Swift's own check of the main actor, not the end of the time.
            #expect(!result.says("not ended in time"))
        }

        @Test("an app that is suspended with a lock in its app group ends the test")
        func locked() async {
            let result = await #expect(
                processExitsWith: .failure,
                observing: [\.standardErrorContent]
            ) {
                let folder = try TemporaryFolder()
                let lock = try FileLock(path: folder.file("held"))
                await MainActor.run {
                    Device.group = folder.path
                    let task = UIApplication.shared.beginBackgroundTask()
                    UIApplication.shared.endBackgroundTask(task)
                }
                withExtendedLifetime(lock) {}
            }
            #expect(result.says("suspended with a lock in its app group, and killed: held"))
        }

        @Test("an extension that asks for the application ends the test")
        func inExtension() async {
            let result = await #expect(
                processExitsWith: .failure,
                observing: [\.standardErrorContent]
            ) {
                await MainActor.run {
                    Device.isExtension = true
                    _ = UIApplication.shared
                }
            }
            #expect(result.says("an extension has no application"))
        }
    }
}

/// Launches an app whose only task begins with `handler` on the main thread, and grants the task.
@MainActor
private func run(_ handler: @escaping @MainActor (BGTask) -> Void) async -> GrantedTask {
    Device.start(Launch(handler))
    try? BGTaskScheduler.shared.submit(BGAppRefreshTaskRequest(identifier: "task"))
    let task = Device.grant("task")
    await withCheckedContinuation { continuation in
        DispatchQueue.main.async { continuation.resume() }
    }
    return task
}

@MainActor
private enum Elsewhere {
    static var count = 0
}

private final class Launch: NSObject, UIApplicationDelegate {
    private let handler: @MainActor (BGTask) -> Void

    init(_ handler: @escaping @MainActor (BGTask) -> Void) {
        self.handler = handler
    }

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        BGTaskScheduler.shared.register(forTaskWithIdentifier: "task", using: .main) { [handler] in
            handler($0)
        }
    }
}
