#if canImport(Dispatch)
    public import Dispatch
#endif

/// Where the handlers of a subscription run.
///
/// `.immediate`, `.actor(_:)` and every `DispatchQueue` are executors. An own one need not keep an
/// order: a subscription hands over one job at a time.
public protocol DeliveryExecutor: Sendable {
    /// Runs `job` once, soon, on any thread.
    ///
    /// It is called without any lock of a store held. A job that is never run delays its
    /// subscription for ever.
    func execute(_ job: @escaping @Sendable () -> Void)
}

/// Runs handlers on the thread that commits, before `commit` returns.
///
/// If another thread is delivering to the subscription, that one does it.
public struct ImmediateDelivery: DeliveryExecutor {
    /// Delivery on whichever thread commits.
    public init() {}

    public func execute(_ job: @escaping @Sendable () -> Void) {
        job()
    }
}

extension DeliveryExecutor where Self == ImmediateDelivery {
    /// On the thread that commits, before `commit` returns.
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

    /// Delivery on `actor`, such as `MainActor.shared`.
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
    /// Isolated to `actor`.
    public static func actor(_ actor: any Actor) -> ActorDelivery { ActorDelivery(actor) }
}

#if canImport(Dispatch)
    extension DispatchQueue: DeliveryExecutor {
        public func execute(_ job: @escaping @Sendable () -> Void) {
            async(execute: job)
        }
    }
#endif
