// What the sources use of BackgroundTasks, over a scheduler that a test drives. What the system answers
// with the end of the app ends the process with a sentence.

import Dispatch
@_exported public import Foundation
import Synchronization
@_spi(Device) public import UIKit

public class BGTaskScheduler: NSObject {
    private nonisolated(unsafe) static let scheduler = BGTaskScheduler()

    public class var shared: BGTaskScheduler { scheduler }

    public func register(
        forTaskWithIdentifier identifier: String,
        using queue: DispatchQueue?,
        launchHandler: @escaping (BGTask) -> Void
    ) -> Bool {
        guard Device.isLaunching else {
            fatalError("a launch handler is registered after the launch: the system kills the app")
        }
        nonisolated(unsafe) let launch = launchHandler
        let handler = Scheduler.Handler(queue: queue ?? Scheduler.background) { launch($0) }
        guard tasks.withLock({ $0.register(handler, for: identifier) }) else {
            fatalError("a second launch handler for one task: the system kills the app")
        }
        return true
    }

    public func submit(_ taskRequest: BGTaskRequest) throws {
        let identifier = taskRequest.identifier
        let needsNetwork =
            (taskRequest as? BGProcessingTaskRequest)?.requiresNetworkConnectivity ?? false
        tasks.withLock { $0.requests[identifier] = needsNetwork }
    }

    public func cancel(taskRequestWithIdentifier identifier: String) {
        tasks.withLock { $0.requests[identifier] = nil }
    }
}

public class BGTaskRequest: NSObject {
    let identifier: String

    init(_ identifier: String) {
        self.identifier = identifier
    }
}

public class BGAppRefreshTaskRequest: BGTaskRequest {
    public init(identifier: String) { super.init(identifier) }
}

public class BGProcessingTaskRequest: BGTaskRequest {
    public var requiresNetworkConnectivity = false

    public init(identifier: String) { super.init(identifier) }
}

public class BGTask: NSObject {
    private let grant: GrantedTask

    init(_ grant: GrantedTask) {
        self.grant = grant
    }

    public var expirationHandler: (() -> Void)? {
        get { grant.expiration }
        set { grant.expiration = newValue }
    }

    public func setTaskCompleted(success: Bool) {
        grant.complete(success)
    }
}

/// The launch handlers and requests of the app.
private struct Scheduler: Sendable {
    struct Handler: Sendable {
        let queue: DispatchQueue
        let launch: @Sendable (BGTask) -> Void
    }

    /// Apple: the handlers without a queue run on a background queue.
    static let background = DispatchQueue(label: "BGTaskScheduler")

    var handlers: [String: Handler] = [:]
    /// The requests by their identifiers, and whether they need a network.
    var requests: [String: Bool] = [:]

    mutating func register(_ handler: Handler, for identifier: String) -> Bool {
        guard handlers[identifier] == nil else { return false }
        handlers[identifier] = handler
        return true
    }
}

private let tasks = Mutex(Scheduler())

/// A task that the system runs.
@_spi(Device) public final class GrantedTask: Sendable {
    private struct State {
        nonisolated(unsafe) var expiration: (() -> Void)?
        var success: Bool?
        var waiter: CheckedContinuation<Bool, Never>?
    }

    private let process: Int
    private let state = Mutex(State())

    /// - Parameter process: The process that has the task.
    init(of process: Int) {
        self.process = process
    }

    /// The app's answer; `nil` while the task runs.
    public var success: Bool? { state.withLock { $0.success } }

    /// Waits until the app says that it has ended the task.
    public func end() async -> Bool {
        await withCheckedContinuation { continuation in
            let success = state.withLock { state in
                if state.success == nil { state.waiter = continuation }
                return state.success
            }
            if let success { continuation.resume(returning: success) }
        }
    }

    /// The system ends the task: the handler runs on a thread of the system's, and the app then has a
    /// moment to end the task.
    ///
    /// - Parameter seconds: The moment.
    public func expire(within seconds: Double = 60) async -> Bool {
        let expiration = state.withLock { $0.expiration }
        guard let expiration else {
            fatalError("a background task without an expiration handler is ended without a word")
        }
        nonisolated(unsafe) let expire = expiration
        Scheduler.background.async { expire() }
        DispatchQueue.global().asyncAfter(deadline: .now() + seconds) { [weak self] in
            guard let self, success == nil else { return }
            fatalError("a background task was not ended in time: the system kills the app")
        }
        return await end()
    }

    var expiration: (() -> Void)? {
        get { state.withLock { $0.expiration } }
        set {
            nonisolated(unsafe) let expiration = newValue
            state.withLock { $0.expiration = expiration }
        }
    }

    func complete(_ success: Bool) {
        let waiter = state.withLock { state in
            guard state.success == nil else { fatalError("a background task was ended twice") }
            (state.success, state.expiration) = (success, nil)
            return state.waiter.take()
        }
        Device.noteEndOfTask(of: process)
        waiter?.resume(returning: success)
    }
}

extension Device {
    /// The identifiers of the requests that the app has made and not cancelled.
    @_spi(Device) public static var requests: Set<String> {
        tasks.withLock { Set($0.requests.keys) }
    }

    /// The requests for which the system waits for a network.
    @_spi(Device) public static var requestsForNetwork: Set<String> {
        tasks.withLock { Set($0.requests.filter(\.value).keys) }
    }

    /// Runs the task of a request. Apple: the request is gone then.
    @_spi(Device) public static func grant(_ identifier: String) -> GrantedTask {
        let handler = tasks.withLock { scheduler in
            guard scheduler.requests.removeValue(forKey: identifier) != nil else {
                fatalError("nobody asked for the task \(identifier)")
            }
            return scheduler.handlers[identifier]
        }
        guard let handler else {
            fatalError("no launch handler for \(identifier): the system kills the app")
        }
        let task = GrantedTask(of: Device.noteTask())
        handler.queue.async { handler.launch(BGTask(task)) }
        return task
    }

    /// The process has ended: its handlers are gone, and the requests stay.
    @_spi(Device) public static func forgetHandlers() {
        tasks.withLock { $0.handlers = [:] }
    }

    /// A device without requests.
    @_spi(Device) public static func forgetRequests() {
        tasks.withLock { $0 = Scheduler() }
    }
}
