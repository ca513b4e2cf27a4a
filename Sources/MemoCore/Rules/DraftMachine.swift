/// A state machine that decides when a draft is saved, restored and given up. Pure: no clock, no
/// storage, no text. Terminal and web app both use it.
///
/// A shell tells an event to ``handle(_:)``, performs the effects in their order, and tells the
/// outcome as the next event. The texts stay with the shell.
///
/// ## Records
/// A composer writes one record of its own. The field may also hold texts of other records: a draft
/// of a composer that has ended, and texts that other apps shared. Those records are ``taken``. The
/// transaction that stores the field's text elsewhere deletes them.
///
/// ## States
/// ```
/// rest ──typed──▶ pause ──paused, leaving──▶ underway ──saved, saveFailed──▶ rest, pause
///                   │                           │
///                   └──pressed──▶ rest          └──pressed──▶ overtaken ──ready, saved──▶ rest
/// none ──ended──▶ looking ──looked──▶ reading ──restored──▶ done
///   ▲────────────────┴─────────────────┴──gone
/// ```
///
/// ## Invariants
/// 1. At most one save is under way.
/// 2. While a memo is being stored, from the press to the last answer, no save begins, and a save
///    that has not written yet does not write. So a memo that was sent never comes back as a draft,
///    and the record that its transaction deletes never holds more than the memo.
/// 3. A text in the field that no save has read waits for a pause, for a save under way, or for a
///    memo that is being stored.
/// 4. At most one draft of another composer is restored.
/// 5. A record whose text is in the field is deleted only together with storing that text.
/// 6. ``DraftKeeping/kept`` is answered only when the field's text is stored.
///
/// ## Failures
/// | failure | outcome |
/// |---|---|
/// | a save fails | the person is told once; the next change, or leaving, tries again |
/// | the process ends during a save | the record is as before, or as saved |
/// | the process ends during a send | the record is as before, or the memo is stored without it |
/// | the memo is not stored | the text stays in the field and is saved again |
/// | another composer holds a draft's lock | the draft comes when that composer ends, or never |
/// | the draft is gone, or unreadable | the next draft is tried; the record stays |
/// | a draft arrives while the person writes | soon after the start it joins; later it waits for a send |
/// | the person signs out | nothing is saved or restored any more; a text in the field is not kept |
/// | the text is longer than a memo | it is saved all the same; only sending refuses it |
public struct DraftMachine<Source: Hashable & Sendable>: Hashable, Sendable {
    /// An event that the shell tells.
    public enum Event {
        /// The field's text has changed.
        case typed
        /// The pause after a change is over.
        case paused
        /// The composer may be about to end. Answered by ``Effect/answer(_:)``.
        case leaving
        /// The field's text is read and sealed, and can be written.
        case ready
        /// The write is done.
        case saved
        /// The text could not be sealed, or not be written.
        case saveFailed
        /// The person wants to send the field's text.
        case pressed
        /// A memo was stored, and these records were deleted with that.
        case sent([Source], isEmpty: Bool)
        /// A memo was not stored: its text is still in the field.
        case notSent
        /// The composer of this draft has ended, and the shell holds the draft's lock.
        case ended(Source)
        /// The field was looked at.
        ///
        /// - Parameter waited: The milliseconds since the shell asked for the first lock.
        case looked(isEmpty: Bool, waited: Int64)
        /// The draft's text is in the field.
        ///
        /// - Parameter isMerged: Whether the field holds other text too.
        case restored(isMerged: Bool)
        /// There is no such draft, or it cannot be read.
        case gone
        /// Shared texts are in the field.
        case joined([Source])
        /// The person has signed out: the records are gone.
        case signedOut
    }

    /// A task of the shell.
    public enum Effect: Hashable, Sendable {
        /// Tell ``Event/paused`` after ``DraftMachine/pause``.
        case pause
        /// Read the field's text and seal it.
        case save
        /// Replace the composer's own record by the sealed text and delete these records, in one
        /// transaction. An empty text has no record.
        case write([Source])
        /// Tell the person that the draft could not be saved.
        case tellNotSaved
        /// Answer all that asked by ``Event/leaving``.
        case answer(DraftKeeping)
        /// Tell ``Event/looked(isEmpty:waited:)``.
        case look
        /// Read this draft and put its text into the field, before or behind the typed text.
        case restore(Source)
        /// Free the lock of this draft: it is for another composer.
        case release(Source)
    }

    private enum Saving {
        /// No save is under way, and none is due.
        case rest
        /// A save begins when the pause is over.
        case pause
        /// A save is under way.
        case underway
        /// A save is under way whose text is being sent.
        case overtaken
    }

    private enum Restoring: Hashable {
        case none, looking, done
        case reading(Source)
    }

    /// The milliseconds from the first change to the save.
    public static var pause: Int64 { 150 }
    /// The milliseconds in which a composer that has just died may still hold its locks.
    private static var longestStart: Int64 { 10_000 }

    /// The records of others whose text is in the field.
    public private(set) var taken: [Source] = []
    private var saving = Saving.rest
    /// Whether the field has changed since the last save read it.
    private var isChanged = false
    private var hasFailed = false
    private var isAwaited = false
    private var isLossTold = false
    /// The records that the save under way deletes.
    private var spent: [Source] = []
    /// How many memos are being stored.
    private var presses = 0
    private var restoring = Restoring.none
    /// Drafts whose composers have ended, with their locks.
    private var candidates: [Source] = []
    private var isSignedOut = false

    /// Makes a machine for an empty field.
    public init() {}

    /// Whether a save begins when the pause is over.
    public var isPausing: Bool { saving == .pause }

    /// Puts a text behind the text of a field.
    public static func joined(_ typed: [UInt8], _ text: [UInt8]) -> [UInt8] {
        typed.isEmpty ? text : typed + [0x0A, 0x0A] + text
    }

    /// Handles one event. An event that does not fit the state changes nothing.
    ///
    /// - Returns: The effects to perform, in order.
    public mutating func handle(_ event: Event) -> [Effect] {
        switch event {
        case .typed:
            isChanged = true
            isLossTold = false
            return goOn()
        case .paused: return saving == .pause ? save() : []
        case .leaving:
            isAwaited = true
            if hasFailed, saving == .rest { isChanged = true }
            return goOn()
        case .ready:
            switch saving {
            case .underway: return [.write(spent)]
            case .overtaken: return rest()
            case .rest, .pause: return []
            }
        case .saved:
            guard saving == .underway || saving == .overtaken else { return [] }
            forget(spent)
            hasFailed = false
            return rest()
        case .saveFailed: return failed()
        case .pressed:
            presses += 1
            if saving == .pause { saving = .rest }
            if saving == .underway { saving = .overtaken }
            return []
        case .sent(let sources, let isEmpty):
            guard presses > 0 else { return [] }
            forget(sources)
            hasFailed = false
            // A record that is still taken holds a text that is in the field, or was erased there.
            isChanged = !isEmpty || !taken.isEmpty
            presses -= 1
            return goOn() + look()
        case .notSent:
            guard presses > 0 else { return [] }
            isChanged = true
            presses -= 1
            return goOn() + look()
        case .ended(let source):
            guard restoring != .done else { return [.release(source)] }
            candidates.append(source)
            return look()
        case .looked(let isEmpty, let waited):
            return looked(isEmpty || waited < Self.longestStart)
        case .restored(let isMerged): return restored(isMerged)
        case .gone:
            guard case .reading(let source) = restoring else { return [] }
            restoring = .none
            return [.release(source)] + look()
        case .joined(let sources):
            taken += sources
            return handle(.typed)
        case .signedOut:
            isSignedOut = true
            isChanged = true
            if saving == .pause { saving = .rest }
            return goOn()
        }
    }

    // MARK: Saving

    private mutating func save() -> [Effect] {
        saving = .underway
        isChanged = false
        spent = taken
        return [.save]
    }

    private mutating func rest() -> [Effect] {
        saving = .rest
        return goOn()
    }

    private mutating func failed() -> [Effect] {
        switch saving {
        case .rest, .pause: return []
        case .overtaken: return rest()
        case .underway:
            let isTold = hasFailed || isSignedOut
            hasFailed = true
            return (isTold ? [] : [.tellNotSaved]) + rest()
        }
    }

    /// Begins what waits for the end of a save or a send.
    private mutating func goOn() -> [Effect] {
        guard saving == .rest || saving == .pause, presses == 0 else { return [] }
        if isChanged, !isSignedOut {
            if isAwaited { return save() }
            guard saving == .rest else { return [] }
            saving = .pause
            return [.pause]
        }
        guard isAwaited else { return [] }
        isAwaited = false
        guard hasFailed || isChanged else { return [.answer(.kept)] }
        defer { isLossTold = true }
        return [.answer(isLossTold ? .lostAgain : .lost)]
    }

    private mutating func forget(_ sources: [Source]) {
        taken.removeAll { sources.contains($0) }
    }

    // MARK: Restoring

    private mutating func look() -> [Effect] {
        guard restoring == .none, !candidates.isEmpty, presses == 0, !isSignedOut else { return [] }
        restoring = .looking
        return [.look]
    }

    private mutating func looked(_ mayJoin: Bool) -> [Effect] {
        guard restoring == .looking else { return [] }
        restoring = .none
        guard mayJoin, presses == 0, !candidates.isEmpty else { return [] }
        let source = candidates.removeFirst()
        restoring = .reading(source)
        return [.restore(source)]
    }

    private mutating func restored(_ isMerged: Bool) -> [Effect] {
        guard case .reading(let source) = restoring else { return [] }
        restoring = .done
        taken.append(source)
        let others = candidates.map { Effect.release($0) }
        candidates.removeAll()
        return others + (isMerged ? handle(.typed) : [])
    }
}

/// Whether a field's text outlives its composer.
public enum DraftKeeping: Hashable, Sendable {
    /// The text is stored.
    case kept
    /// The text is not stored.
    case lost
    /// The text is not stored, as was answered before, and nothing was typed since.
    case lostAgain
}
