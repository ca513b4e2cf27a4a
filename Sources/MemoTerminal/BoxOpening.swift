import LibC
import MemoKit
import Synchronization

/// The opening of a box and the reading of its draft, on a thread of their own, so that the field
/// takes letters meanwhile: a keyring may ask the person first, and another process may be writing.
///
/// Not thread-safe: the composer has it.
final class BoxOpening {
    /// How an opening ended.
    struct Outcome: Sendable {
        /// The opened box; `nil` when the box could not be opened.
        let box: MemoBox?
        /// The text of the draft of an interrupted compose, `nil` for none; or why there is no box, or
        /// why the draft could not be read.
        let draft: Result<String?, MemoError>
    }

    /// A descriptor that is readable once the opening has ended; -1 for an opening that had no thread
    /// of its own, and has ended.
    let ended: Int32

    private let thread: pthread_t?
    private let work: Work

    /// Opens a box on a thread of its own, or on this one where there is no other to be had.
    init(_ open: @escaping @Sendable () throws(MemoError) -> MemoBox) {
        var ends: [Int32] = [-1, -1]
        let hasPipe = pipe(&ends) == 0
        for end in ends where hasPipe { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let work = Work(open: open, end: ends[1])
        self.work = work
        thread = hasPipe ? work.start() : nil
        ended = thread == nil ? -1 : ends[0]
        guard thread == nil else { return }
        work.run()
        if hasPipe { close(ends[0]) }
    }

    /// Waits for the end of the opening. Call it once.
    func outcome() -> Outcome {
        if let thread {
            pthread_join(thread, nil)
            close(ended)
        }
        return work.takeOutcome()
    }

    /// The work of the thread.
    private final class Work: Sendable {
        private let open: @Sendable () throws(MemoError) -> MemoBox
        private let end: Int32
        private let outcome = Mutex<Outcome?>(nil)

        init(open: @escaping @Sendable () throws(MemoError) -> MemoBox, end: Int32) {
            self.open = open
            self.end = end
        }

        /// Starts a thread that runs ``run()``.
        ///
        /// - Returns: `nil` when there is none to be had.
        func start() -> pthread_t? {
            #if canImport(Darwin)
                var thread: pthread_t?
            #else
                var thread = pthread_t()
            #endif
            let work = Unmanaged.passRetained(self)
            let status = pthread_create(&thread, nil, { Work.main($0) }, work.toOpaque())
            guard status == 0 else {
                work.release()
                return nil
            }
            return thread
        }

        /// Opens the box, reads its draft, and closes the write end of the pipe.
        func run() {
            let found: Outcome
            do throws(MemoError) {
                let box = try open()
                found = Outcome(box: box, draft: Self.draft(of: box))
            } catch {
                found = Outcome(box: nil, draft: .failure(error))
            }
            outcome.withLock { $0 = found }
            if end >= 0 { close(end) }
        }

        func takeOutcome() -> Outcome {
            guard let outcome = outcome.withLock({ $0.take() }) else {
                preconditionFailure("The opening has not ended, or its outcome was taken before.")
            }
            return outcome
        }

        private static func draft(of box: MemoBox) -> Result<String?, MemoError> {
            do throws(MemoError) { return .success(try box.draft()) } catch {
                return .failure(error)
            }
        }

        private static func main(_ work: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
            guard let work else { return nil }
            Unmanaged<Work>.fromOpaque(work).takeRetainedValue().run()
            return nil
        }
    }
}
