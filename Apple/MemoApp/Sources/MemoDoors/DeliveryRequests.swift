public import BackgroundTasks

/// The tasks for which the system runs the app while memos wait. Their identifiers are also in the
/// property lists of the app and of its extensions.
public enum DeliveryRequests {
    /// Some seconds, often.
    public static let refresh = "simple-memo.refresh"
    /// Some minutes, with a network, seldom.
    public static let processing = "simple-memo.processing"

    /// Registers the handler of both tasks. To be called before the app has launched, and in no extension:
    /// the system runs the app for the tasks of its extensions.
    @MainActor
    public static func register(_ granted: @escaping @MainActor (BGTask) -> Void) {
        for identifier in [refresh, processing] {
            // With another queue, or none, the handler would begin off the main thread.
            let isRegistered = BGTaskScheduler.shared.register(
                forTaskWithIdentifier: identifier,
                using: .main
            ) { task in granted(task) }
            assert(isRegistered, "the property list does not permit \(identifier)")
        }
    }

    /// Asks for both tasks, in place of earlier requests. A request that the system refuses, as it does
    /// where a person has switched this off, costs time and no memo.
    public static func submit() {
        let processing = BGProcessingTaskRequest(identifier: Self.processing)
        processing.requiresNetworkConnectivity = true
        for request in [BGAppRefreshTaskRequest(identifier: refresh), processing] {
            try? BGTaskScheduler.shared.submit(request)
        }
    }

    /// Takes both requests back.
    public static func cancel() {
        for identifier in [refresh, processing] {
            BGTaskScheduler.shared.cancel(taskRequestWithIdentifier: identifier)
        }
    }
}
