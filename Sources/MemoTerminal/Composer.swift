import EditLine
import LibC
public import MemoCore
public import MemoKit
import OutboxCore

/// Writing memos in a terminal: one text, Ctrl-D sends it and empties the field for the next.
///
/// libedit edits and draws. The draft is saved sealed whenever typing pauses, and at leaving,
/// whatever the reason for leaving; where it cannot be, Ctrl-C says so and stays the first time. A
/// memo is stored before the field is emptied; if it cannot be stored, the text stays and the reason
/// is shown.
///
/// Not thread-safe; one composer per process, because it owns the terminal and the signals.
public final class Composer {
    /// How a compose ended.
    public enum End: Equatable, Sendable {
        /// The person left.
        case left
        /// The terminal went away.
        case terminalLost
        /// A signal ended it.
        case signal(Int32)
    }

    /// How long typing pauses before the draft is saved.
    static let draftPause: Int32 = 150

    let input: Int32 = STDIN_FILENO
    let output: Int32
    let openBox: () throws(MemoError) -> MemoBox
    let clock: TerminalClock
    let language: Language
    /// Whether the terminal understands the sequences that all but the simplest understand.
    let isCapable: Bool

    var box: MemoBox?
    var text: ComposeText!
    var session: OpaquePointer!
    var signals: Int32 = -1
    var keys = KeyReader()
    var queue: [Int32] = []
    /// What the next `insert` command inserts.
    var pending: [UInt32] = []
    var hasBegun = false
    /// Whether the field has taken typing, and pastes in brackets have been asked for.
    var isReady = false
    var mayNeedSettling = false
    var isDraftDue = false
    /// Why the text is not saved as it is now, if it could not be.
    var draftFailure: MemoError?
    /// Whether leaving was refused because of that, and nothing was typed since.
    var isLossAnnounced = false
    /// Why what was written is lost, once the compose has ended; `nil` when nothing is.
    public private(set) var loss: MemoError?
    /// A line to be shown above the text, once the text has been taken off the screen.
    var notice: String?
    /// The text, while a notice is being shown.
    var setAside: (scalars: [UInt32], position: Int)?
    /// When Ctrl-D was read, until the field is ready again.
    var sentAt: Int64?
    var hasShownAccountNotice = false
    var end: End = .left
    var tail: [UInt8] = []

    /// - Parameters:
    ///   - output: The terminal to draw on.
    ///   - clock: Knows when the process started.
    ///   - language: In which hints and errors are shown.
    ///   - openBox: Opens the box. Called once the field takes typing, again at the next send if it
    ///     failed.
    public init(
        output: Int32,
        clock: TerminalClock,
        language: Language = .ofThisProcess,
        openBox: @escaping () throws(MemoError) -> MemoBox
    ) {
        self.output = output
        self.clock = clock
        self.language = language
        self.openBox = openBox
        let term = getenv("TERM").map { String(cString: $0) } ?? "dumb"
        isCapable = !["", "dumb", "emacs", "unknown"].contains(term)
    }

    /// Composes until the person leaves.
    public func run() -> End {
        _ = editline_use_utf8()
        signals = ComposerSignals.listen()
        let hooks = editline_hooks(
            context: Unmanaged.passUnretained(self).toOpaque(),
            read: { context, key in
                let composer = Unmanaged<Composer>.fromOpaque(context!).takeUnretainedValue()
                guard let next = composer.nextKey() else { return -1 }
                key!.pointee = next
                return 1
            },
            perform: { context, number in
                let composer = Unmanaged<Composer>.fromOpaque(context!).takeUnretainedValue()
                return composer.perform(number)
            },
            write: { context, bytes, count in
                let composer = Unmanaged<Composer>.fromOpaque(context!).takeUnretainedValue()
                composer.draw(UnsafeRawBufferPointer(start: bytes, count: count))
            }
        )
        // libedit learns the name of the terminal from here.
        if !isCapable { setenv("TERM", "dumb", 1) }
        guard let session = editline_open(input, output, hooks) else { return .terminalLost }
        self.session = session
        text = ComposeText(session: session)
        editline_terminal_size(output, &rows, &columns)
        show(language.string(.composeHint))
        editline_run(session)
        finish()
        return end
    }

    var rows: Int32 {
        get { Int32(text.rows) }
        set { text.rows = Int(newValue) }
    }
    var columns: Int32 {
        get { Int32(text.columns) }
        set { text.columns = Int(newValue) }
    }

    private func finish() {
        let drawn = text.drawn
        let isEmpty = text.isEmpty
        if draftFailure != nil { isDraftDue = true }
        saveDraft()
        if !isEmpty { loss = draftFailure }
        if end != .terminalLost {
            send(String(repeating: "\n", count: drawn.rows - 1 - drawn.row))
            if drawn.rows > 1 || !isEmpty { send("\r\n") }
            if isCapable { send("\u{1B}[?2004l") }
            if let loss {
                send("\r\(Self.lossNotice(loss, in: language))\r\n")
            } else if !isEmpty {
                show(language.string(.draftKept))
            }
        }
        try? box?.flushTimings()
        editline_close(session)
    }

    /// What is said when the text could not be kept.
    static func lossNotice(_ error: MemoError, in language: Language) -> String {
        language.string(.draftLost, error.sentence(in: language))
    }

    /// The box, opened when it is not open yet.
    func openedBox() throws(MemoError) -> MemoBox {
        if let box { return box }
        let opened = try openBox()
        box = opened
        return opened
    }

    /// Saves the draft. A failure is shown once: it must not get in the way of writing.
    func saveDraft() {
        guard isDraftDue else { return }
        isDraftDue = false
        do {
            try openedBox().saveDraft(text.string)
            draftFailure = nil
        } catch {
            if draftFailure == nil {
                notice = language.string(CommandText.draftNotSaved, error.sentence(in: language))
            }
            draftFailure = error
        }
    }
}
