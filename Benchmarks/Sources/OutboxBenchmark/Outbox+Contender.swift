import Outbox
import OutboxCore

func makeOutbox<Storage: OutboxStorage>(
    _ storage: Storage,
    _ folder: String,
    clock: OutboxClock = .system
) -> Outbox<Storage> {
    Outbox(storage: storage, keys: FileKeyStore(path: "\(folder)/outbox.key"), clock: clock)
}

extension Outbox: Contender {
    func enqueue() throws {
        try enqueue(kind: "benchmark", payload: payload)
    }

    func fill(_ count: Int) throws {
        try fill(count) { _, _ in }
    }

    /// In large transactions; `change` is told each operation's number.
    func fill(_ count: Int, _ change: (Int, inout Envelope) -> Void) throws {
        for start in stride(from: 0, to: count, by: 10_000) {
            try storage.insert(
                try (start..<min(start + 10_000, count)).map { number in
                    let sealed = try seal(kind: "benchmark", payload: payload)
                    var envelope = sealed.envelope
                    change(number, &envelope)
                    return SealedOperation(envelope: envelope, record: sealed.record)
                }
            )
        }
    }

    func drain(_: Int) async throws {
        try await drain(
            [
                "benchmark": { _ in
                    Mark.handled.set()
                    return .done
                }
            ],
            until: .idle
        )
    }
}
