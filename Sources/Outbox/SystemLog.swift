#if canImport(os)
    import OutboxCore
    import Synchronization
    import os

    /// The events of an outbox in the log of an Apple system, under the category `outbox`, and as
    /// signposts for Instruments.
    ///
    /// ```swift
    /// let log = SystemLog(subsystem: "org.example.app")
    /// let outbox = Outbox(storage: storage, keys: keys, log: { log.write($0) })
    /// ```
    ///
    /// A line has the fields of ``OutboxEvent/fields``, as `name=value` in their order, and all of it
    /// is public: no event holds content. Signposts are the event `enqueue`, the interval `attempt`
    /// from the call of the handler to the stored outcome, and the interval `drain` while at least one
    /// attempt runs.
    ///
    /// Limit: the attempts that the end of a drain has cut short have no outcome. Their intervals end
    /// with the next attempt of the same operation, and `drain` with them.
    public final class SystemLog: Sendable {
        private struct Intervals {
            var attempts: [OperationID: OSSignpostIntervalState] = [:]
            var drain: OSSignpostIntervalState?
        }

        private let logger: Logger
        private let signposter: OSSignposter
        private let intervals = Mutex(Intervals())

        /// Makes a log.
        ///
        /// - Parameter subsystem: The program's identifier, such as that of its bundle.
        public init(subsystem: String) {
            logger = Logger(subsystem: subsystem, category: "outbox")
            signposter = OSSignposter(logger: logger)
        }

        /// Writes the line of an event, and its signposts. Call this from any thread.
        public func write(_ event: OutboxEvent) {
            let line = event.fields.map { "\($0.name)=\($0.value)" }.joined(separator: " ")
            logger.log(level: OSLogType(event.severity), "operation \(line, privacy: .public)")
            signal(event)
        }

        private func signal(_ event: OutboxEvent) {
            switch event.change {
            case .enqueued:
                signposter.emitEvent("enqueue")
            case .attempting:
                guard let id = event.id else { return }
                intervals.withLock { intervals in
                    end(id, in: &intervals)
                    if intervals.attempts.isEmpty {
                        intervals.drain = signposter.beginInterval("drain")
                    }
                    intervals.attempts[id] = signposter.beginInterval(
                        "attempt",
                        id: signposter.makeSignpostID()
                    )
                }
            case .delivered, .waiting, .parked, .outcomeNotStored, .quarantined, .leftAlone:
                guard let id = event.id else { return }
                intervals.withLock { end(id, in: &$0) }
            case .waitEnded, .waitCut, .requeued, .deleted, .queueNotRead, .damaged:
                break
            }
        }

        private func end(_ id: OperationID, in intervals: inout Intervals) {
            guard let attempt = intervals.attempts.removeValue(forKey: id) else { return }
            signposter.endInterval("attempt", attempt)
            guard intervals.attempts.isEmpty, let drain = intervals.drain.take() else { return }
            signposter.endInterval("drain", drain)
        }
    }

    extension OSLogType {
        fileprivate init(_ severity: OutboxEvent.Severity) {
            self =
                switch severity {
                case .info: .info
                case .notice: .default
                case .warning, .error: .error
                }
        }
    }
#endif
