#if canImport(Dispatch)
    public import Dispatch
#endif

/// Where the handlers of a subscription run.
///
/// `.immediate`, `.actor(_:)` and every `DispatchQueue` are executors. An executor of your own need
/// not keep an order: a subscription hands over one job at a time.
public protocol DeliveryExecutor: Sendable {
    /// Runs `job` once, soon, on any thread.
    ///
    /// The caller holds no lock of a store. A subscription whose job never runs delivers nothing
    /// more.
    ///
    /// - Parameter job: Delivers to one subscription.
    func execute(_ job: @escaping @Sendable () -> Void)
}

/// Runs handlers on the thread that commits, before `commit` returns.
///
/// If another thread is delivering to the subscription, that thread calls the handler.
public struct ImmediateDelivery: DeliveryExecutor {
    /// Delivery on the committing thread.
    public init() {}

    public func execute(_ job: @escaping @Sendable () -> Void) {
        job()
    }
}

extension DeliveryExecutor where Self == ImmediateDelivery {
    /// Delivery on the committing thread, before `commit` returns.
    public static var immediate: ImmediateDelivery { ImmediateDelivery() }
}

/// Runs handlers isolated to an actor, so that they may use `assumeIsolated`.
///
/// ```swift
/// store.sinkState(on: .actor(index)) { changes in
///     index.assumeIsolated { $0.update(changes.current) }
/// }
/// ```
public struct ActorDelivery: DeliveryExecutor {
    private let actor: any Actor

    /// Delivery isolated to `actor`, such as `MainActor.shared`.
    public init(_ actor: any Actor) {
        self.actor = actor
    }

    public func execute(_ job: @escaping @Sendable () -> Void) {
        Task { await run(job, on: actor) }
    }

    private func run(_ job: @Sendable () -> Void, on actor: isolated any Actor) {
        job()
    }
}

extension DeliveryExecutor where Self == ActorDelivery {
    /// Delivery isolated to `actor`.
    public static func actor(_ actor: any Actor) -> ActorDelivery { ActorDelivery(actor) }
}

#if canImport(Dispatch)
    extension DispatchQueue: DeliveryExecutor {
        public func execute(_ job: @escaping @Sendable () -> Void) {
            async(execute: job)
        }
    }
#endif
