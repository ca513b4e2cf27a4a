import MemoTexts
import OutboxCore
import StoreCore

/// The host, clock, vault and store that all parts of the app use.
final class AppContext {
    let host: Host
    let clock: Clock
    let vault: Vault
    let store: AppStore
    /// The name of this device in a list of devices.
    var device: [UInt8] = []
    /// Everything on this device is being deleted: nothing is to be attempted any more.
    var isLeaving = false
    private var isOpen = false
    private var waiting: [() -> Void] = []
    private var occurrences: [Occurrence] = []

    init(random: @escaping () -> UInt64) {
        clock = Clock(random: random)
        host = Host(clock: clock)
        vault = Vault(host: host, clock: clock)
        store = AppStore(AppState())
    }

    /// Tells the app an occurrence, which it handles within the same event.
    func happened(_ occurrence: Occurrence) { occurrences.append(occurrence) }

    /// The first occurrence that is not handled yet.
    func nextOccurrence() -> Occurrence? {
        occurrences.isEmpty ? nil : occurrences.removeFirst()
    }

    /// Whether payloads can be opened and the account is known.
    var canAttempt: Bool {
        guard case .ready = vault.condition, !isLeaving else { return false }
        return store.state.account != .unknown
    }

    /// Calls `body` once the database and the key are known, or known to be out of reach.
    func whenOpen(_ body: @escaping () -> Void) {
        isOpen ? body() : waiting.append(body)
    }

    func opened() {
        isOpen = true
        let bodies = waiting
        waiting.removeAll()
        for body in bodies { body() }
    }

    /// Changes the state. Its commits have no names: 30 of them would make the module longer.
    @inline(never)
    func change(_ body: (inout AppState) -> Void) {
        store.commit("", file: "", line: 0, body)
    }

    /// Says something below the field: an answer, or a fact that stands until ``end(_:)``.
    func say(
        _ text: AppText,
        tone: Notice.Tone = .info,
        action: Notice.Action? = nil,
        about cause: Notice.Cause = .answer
    ) {
        say(Notice(text: text, tone: tone, action: action, cause: cause))
    }

    func say(_ notice: Notice) {
        change { $0.notices.say(notice) }
    }

    func end(_ cause: Notice.Cause) {
        guard store.state.notices.has(cause) else { return }
        change { $0.notices.end(cause) }
    }

    /// Says beside a field of the settings why its value was not taken.
    func complain(_ complaint: Complaint) {
        change { $0.complaint = complaint }
        host.setTimer(.wait, complaint.seconds == nil ? nil : 1000)
    }

    /// The field is about to get another value, or is out of sight.
    func endComplaint() {
        guard store.state.complaint != nil else { return }
        change { $0.complaint = nil }
    }

    /// Seals and stores a thing.
    ///
    /// - Parameter then: Gets the reason for a failure; `nil` when the thing is stored.
    func keep(
        _ thing: Thing,
        _ bytes: [UInt8],
        _ durability: Durability,
        _ then: @escaping (StorageFailure?) -> Void
    ) {
        whenOpen { [self] in
            let now = clock.now
            let id = clock.makeID()
            let binding = SealBinding(id: id, kind: thing.kind, createdAt: now)
            vault.seal([PlainRecord(binding: binding, bytes: bytes)]) { sealed in
                guard case .done(let bodies) = sealed else {
                    if case .failed(let failure) = sealed { then(failure) }
                    return
                }
                self.put(thing, id.bytes + now.ordered, bodies[0], durability, then)
            }
        }
    }

    /// Stores a thing without text, address or token: numbers, times and identifiers of this app.
    /// Nothing is stored once a page has signed out.
    ///
    /// - Parameter then: Called when it is stored, or could not be.
    func keepOpenly(_ thing: Thing, _ bytes: [UInt8], _ then: @escaping () -> Void = {}) {
        guard let key = vault.key else { return then() }
        put(thing, [0], bytes, .relaxed, whileKey: key) { _ in then() }
    }

    private func put(
        _ thing: Thing,
        _ head: [UInt8],
        _ body: [UInt8],
        _ durability: Durability,
        whileKey key: KeyID? = nil,
        _ then: @escaping (StorageFailure?) -> Void
    ) {
        var write = Transaction()
        write.put(
            Record(key: thing.key, head: head, body: body),
            in: .things,
            whileKey: key
        )
        host.perform(write, durability) { answer in
            switch answer {
            case .done: then(nil)
            case .failed(let name): then(StorageFailure(name))
            }
        }
    }
}

extension StorageFailure {
    /// The text for a person whose memo stays in the field.
    var text: AppText {
        switch self {
        case .full: .storageFull
        case .insecure: .insecureConnection
        case .keyMissing: .keyLost
        case .tooNew: .databaseTooNew
        case .otherTab: .otherTab
        case .signedOut: .signedOutElsewhere
        case .failed: .memoNotStored
        case .unavailable: .storageUnavailable
        }
    }
}

/// The moment of the event that is being handled, and randomness.
final class Clock {
    /// The wall clock, for stored times.
    var now = WallTime(millisecondsSinceEpoch: 0)
    /// Microseconds of a clock that is never set, for measurements.
    var microseconds: Int64 = 0

    /// A cryptographic source of random words.
    let random: () -> UInt64

    init(random: @escaping () -> UInt64) {
        self.random = random
    }

    func jitter() -> UInt32 { UInt32(truncatingIfNeeded: random()) }

    /// A new identifier.
    func makeID() -> OperationID { OperationID(time: now, random: (random(), random())) }
}
