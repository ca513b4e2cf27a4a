import OutboxCore
import Synchronization
import Testing
@_spi(Device) import os

@testable import Outbox

/// What stands behind `canImport(os)`, over the stand-in of the system's log.
extension OneDevice {
    @Suite("The system's log")
    struct SystemLogTests {
        private let log = SystemLog(subsystem: "org.example.app")
        private let first = OperationID.random(at: WallTime(millisecondsSinceEpoch: 0))
        private let second = OperationID.random(at: WallTime(millisecondsSinceEpoch: 0))
        private let kind: OperationKind = "memo"

        init() {
            systemLog.withLock { $0 = [] }
        }

        private func write(_ change: OutboxEvent.Change, _ id: OperationID) {
            log.write(OutboxEvent(change, id: id, kind: kind))
        }

        private var lines: [LogEntry] {
            systemLog.withLock { $0 }.filter { if case .line = $0 { true } else { false } }
        }

        private var signposts: [LogEntry] {
            systemLog.withLock { $0 }.filter { if case .line = $0 { false } else { true } }
        }

        @Test("has a line for an event, with the fields of every other log, all of them public")
        func fields() {
            let reason: ReasonCode = "relay.http.429"
            for (change, level): (OutboxEvent.Change, String) in [
                (.enqueued, "info"), (.attempting(number: 3), "info"),
                (.waiting(.server, Milliseconds(60_000)), "default"), (.parked, "error"),
                (.quarantined(.notAuthentic), "error"), (.requeued, "default"),
            ] {
                systemLog.withLock { $0 = [] }
                let event = OutboxEvent(change, id: first, kind: kind, reason: reason)
                log.write(event)
                let fields = event.fields.map { "\($0.name)=\($0.value)" }
                let text = "operation " + fields.joined(separator: " ")
                #expect(lines == [.line(category: "outbox", level: level, text: text)])
                #expect(text.contains("id=\(first)") && text.contains("kind=memo"))
            }
        }

        @Test("has signposts for what is enqueued, for each attempt, and for the drain around them")
        func intervals() {
            write(.enqueued, first)
            write(.attempting(number: 1), first)
            write(.attempting(number: 1), second)
            write(.delivered, first)
            write(.waiting(.network, Milliseconds(1)), second)
            write(.requeued, second)
            write(.attempting(number: 2), second)
            write(.parked, second)
            let exclusive: UInt64 = 0xEEEE_B0B5_B2B2_EEEE
            #expect(
                signposts == [
                    .event("enqueue"), .began("drain", exclusive), .began("attempt", 1),
                    .began("attempt", 2), .ended("attempt", 1), .ended("attempt", 2),
                    .ended("drain", exclusive), .began("drain", exclusive), .began("attempt", 3),
                    .ended("attempt", 3), .ended("drain", exclusive),
                ]
            )
        }

        @Test("ends the interval of an attempt that was cut short when the next one begins")
        func cut() {
            write(.attempting(number: 1), first)
            write(.attempting(number: 1), first)
            write(.delivered, first)
            write(.delivered, first)
            let attempts = signposts.filter { entry in
                entry == .began("attempt", 1) || entry == .ended("attempt", 1)
                    || entry == .began("attempt", 2) || entry == .ended("attempt", 2)
            }
            #expect(
                attempts == [
                    .began("attempt", 1), .ended("attempt", 1), .began("attempt", 2),
                    .ended("attempt", 2),
                ]
            )
        }
    }
}
