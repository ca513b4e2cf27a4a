import Dispatch
import Foundation
public import MemoCore
public import MemoKit
public import MemoTexts
import Outbox
public import OutboxCore
import Synchronization
import UIKit

/// A door of the app: it stores a text as a memo and ends at once, without a network, whether the app runs
/// or not.
///
/// The share extension, the intents and the controls use it, each in its own process or beside the app in
/// the app's. Each call has a box of its own, which is closed before the call returns: the process then holds
/// no lock, and may be suspended. The app delivers what is stored: the one that runs, or the one that the
/// system runs for a task. No door touches a draft.
///
/// ```swift
/// let answer = try await MemoDoor.ofProcess.store("Buy milk")   // durable on return
/// ```
public struct MemoDoor: Sendable {
    /// The door of this process.
    public static let ofProcess = MemoDoor { () throws(MemoError) in
        let log = SystemLog(subsystem: "simple-memo")
        return try AppFolder.ofProcess.openBox { log.write($0) }
    }

    /// The longest wait for a box to close after the time is over, in milliseconds.
    private static let closing = 3000

    private let open: @Sendable () throws(MemoError) -> MemoBox
    private let askForDelivery: @Sendable () -> Void

    /// - Parameters:
    ///   - open: Opens the box.
    ///   - askForDelivery: Asks the system to run the app for a delivery.
    init(
        askForDelivery: @escaping @Sendable () -> Void = DeliveryRequests.submit,
        open: @escaping @Sendable () throws(MemoError) -> MemoBox
    ) {
        self.open = open
        self.askForDelivery = askForDelivery
    }

    /// Stores a text as a memo. When this returns, the memo is on the disk, and no lock is held.
    ///
    /// - Parameter text: The memo.
    /// - Returns: The prospect of the memo, to tell the person.
    /// - Throws: ``DoorError``; nothing was stored.
    public func store(_ text: String) async throws(DoorError) -> SendAnswer.Prospect {
        try await pass("store a memo") { box throws(MemoError) in try box.send(text, of: nil) }
    }

    /// Sends a memo that did not arrive again, as ``store(_:)`` stores one.
    ///
    /// - Parameter id: The memo.
    /// - Returns: The prospect of the memo.
    /// - Throws: ``DoorError``; nothing has changed.
    @discardableResult
    public func sendAgain(_ id: OperationID) async throws(DoorError) -> SendAnswer.Prospect {
        try await pass("send a memo again") { box throws(MemoError) in try box.sendAgain(id) }
    }

    /// - Parameters:
    ///   - reason: What the process needs time for, as the system's log has it.
    ///   - work: Changes the box; answers the memo that leaves.
    private func pass(
        _ reason: String,
        _ work: @escaping @Sendable (MemoBox) throws(MemoError) -> OperationID
    ) async throws(DoorError) -> SendAnswer.Prospect {
        let outcome = await withCheckedContinuation { continuation in
            let visit = Visit(
                work: work,
                open: open,
                askForDelivery: askForDelivery,
                answer: { continuation.resume(returning: $0) }
            )
            ProcessInfo.processInfo.performExpiringActivity(withReason: reason) { expired in
                visit.called(isExpired: expired)
            }
        }
        switch outcome {
        case .stored(let prospect): return prospect
        case .refused(let error): throw .notStored(error)
        case .noTime: throw .noTime
        }
    }

    /// Stores a text as ``store(_:)`` does.
    ///
    /// - Parameters:
    ///   - text: The memo.
    ///   - language: The language of the sentence.
    /// - Returns: The sentence that tells the person what becomes of the memo.
    /// - Throws: ``DoorError``; nothing was stored.
    public func sentence(
        afterStoring text: String,
        in language: Language
    ) async throws(DoorError) -> String {
        language.string(try await store(text).text)
    }

    private typealias Machine = DoorMachine<SendAnswer.Prospect, MemoError>

    /// One call of the door. The system calls it on threads of its own: once for the time that it gives, and
    /// a second time when that is over. It may suspend the process when all of these calls have returned.
    private final class Visit: Sendable {
        private let work: @Sendable (MemoBox) throws(MemoError) -> OperationID
        private let open: @Sendable () throws(MemoError) -> MemoBox
        private let askForDelivery: @Sendable () -> Void
        private let answer: @Sendable (Machine.Outcome) -> Void
        private let machine = Mutex(Machine())
        private let box = Mutex<MemoBox?>(nil)
        private let over = DispatchGroup()

        init(
            work: @escaping @Sendable (MemoBox) throws(MemoError) -> OperationID,
            open: @escaping @Sendable () throws(MemoError) -> MemoBox,
            askForDelivery: @escaping @Sendable () -> Void,
            answer: @escaping @Sendable (Machine.Outcome) -> Void
        ) {
            self.work = work
            self.open = open
            self.askForDelivery = askForDelivery
            self.answer = answer
            over.enter()
        }

        func called(isExpired: Bool) {
            handle(isExpired ? .expired : .granted)
            // Of the two calls, the one that stores is over by now; the other one waits for it.
            _ = over.wait(timeout: .now() + .milliseconds(MemoDoor.closing))
        }

        private func handle(_ event: Machine.Event) {
            for effect in machine.withLock({ $0.handle(event) }) {
                switch effect {
                case .store: handle(.worked(store()))
                case .close:
                    close()
                    handle(.closed)
                case .askForDelivery: askForDelivery()
                case .answer(let outcome):
                    over.leave()
                    answer(outcome)
                }
            }
        }

        private func store() -> Machine.Outcome {
            do throws(MemoError) {
                let opened = try open()
                box.withLock { $0 = opened }
                let id = try work(opened)
                // Without an answer, only this is known: the memo is stored.
                let answer = try? opened.sendAnswer(to: id, isBlocked: false)
                return .stored(answer?.prospect ?? .kept)
            } catch {
                return .refused(error)
            }
        }

        private func close() {
            guard let box = box.withLock({ $0.take() }) else { return }
            let closed = DispatchSemaphore(value: 0)
            Task.detached {
                _ = await box.close()
                closed.signal()
            }
            closed.wait()
        }
    }
}

/// A text that a door has not stored.
public enum DoorError: Error, Hashable, Sendable {
    /// The box refused the text, or cannot be used.
    case notStored(MemoError)
    /// The system gave the process no time.
    case noTime

    /// What happened, and that the text is where it was.
    ///
    /// - Parameter language: The language of the sentence.
    public func sentence(in language: Language) -> String {
        switch self {
        case .notStored(.emptyMemo): MemoError.emptyMemo.sentence(in: language)
        case .notStored(let error): language.string(AppText(notSent: error))
        case .noTime: language.string(AppText.memoNotStored)
        }
    }
}

extension AppText {
    /// The sentence for a text that was not stored.
    ///
    /// - Parameter error: The cause.
    public init(notSent error: MemoError) {
        self =
            switch error {
            case .tooLong: .memoTooLong
            case .containsNUL: .memoContainsNUL
            case .diskFull: .storageFull
            default: .memoNotStored
            }
    }
}
