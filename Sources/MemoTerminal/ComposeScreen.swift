import EditLine
import LibC
import MemoKit
import MemoProcesses

/// The terminal while a memo is composed: libedit's line, and single lines shown above it.
///
/// Not thread-safe. One screen per process, because it owns the terminal.
final class ComposeScreen {
    /// The text in the field.
    var text: ComposeText

    private let session: OpaquePointer
    private let output: Int32
    /// Whether the terminal understands the sequences that all but the simplest understand.
    private let isCapable: Bool
    private var hasAskedForBrackets = false
    /// The beginning of a stand-in whose rest libedit has yet to write.
    private var tail: [UInt8] = []
    private var notice: String?
    /// The text, while a notice is being shown.
    private var setAside: (scalars: [UInt32], position: Int)?

    /// Opens a session of libedit on the terminal.
    ///
    /// - Parameters:
    ///   - input: The terminal to read from.
    ///   - output: The terminal to draw on.
    ///   - hooks: The functions that libedit calls while ``run()`` runs; `write` ends in ``draw(_:)``.
    /// - Returns: `nil` when there is no memory for a session.
    init?(input: Int32, output: Int32, hooks: editline_hooks) {
        let term = getenv("TERM").map { String(cString: $0) } ?? "dumb"
        isCapable = !["", "dumb", "emacs", "unknown"].contains(term)
        // libedit learns the name of the terminal from here.
        if !isCapable { setenv("TERM", "dumb", 1) }
        guard let session = editline_open(input, output, hooks) else { return nil }
        self.session = session
        self.output = output
        text = ComposeText(session: session)
        measure()
    }

    /// Edits until a command finishes or a key cannot be read.
    func run() {
        editline_run(session)
    }

    /// Restores the terminal. Nothing may be called afterwards.
    func close() {
        editline_close(session)
    }

    // MARK: Drawing

    /// Writes what libedit draws, each stand-in as the letter and marks that it stands for.
    func draw(_ bytes: UnsafeRawBufferPointer) {
        // Stand-ins are four bytes in UTF-8, and libedit's buffer may end within one.
        guard !tail.isEmpty || bytes.contains(where: { $0 >= 0xF0 }) else {
            writeAll(bytes, to: output)
            return
        }
        let all = tail + bytes
        tail = []
        var result: [UInt8] = []
        result.reserveCapacity(all.count + 64)
        var index = 0
        while index < all.count {
            guard all[index] >= 0xF0 else {
                result.append(all[index])
                index += 1
                continue
            }
            guard index + 4 <= all.count else {
                tail = Array(all[index...])
                break
            }
            let scalar =
                UInt32(all[index] & 0x07) << 18 | UInt32(all[index + 1] & 0x3F) << 12
                | UInt32(all[index + 2] & 0x3F) << 6 | UInt32(all[index + 3] & 0x3F)
            for drawn in text.drawn(scalar) {
                result += UTF8.encode(Unicode.Scalar(drawn) ?? "\u{FFFD}")!
            }
            index += 4
        }
        _ = result.withUnsafeBytes { writeAll($0, to: output) }
    }

    /// Writes a line of its own, dimmed.
    func show(_ line: String) {
        send(isCapable ? "\r\u{1B}[2m\(line)\u{1B}[22m\u{1B}[K\r\n" : "\r\(line)\r\n")
    }

    /// Writes a line of its own, as bright as the text.
    func showBright(_ line: String) {
        send("\r\(line)\r\n")
    }

    private func send(_ string: String) {
        var string = string
        _ = string.withUTF8 { writeAll(UnsafeRawBufferPointer($0), to: output) }
    }

    // MARK: Notices

    /// Whether a notice waits to be shown.
    var hasNotice: Bool { notice != nil }

    /// Shows `notice` above the text before the next key is read.
    ///
    /// The text has to be empty, or taken off the screen by ``setTextAside()``.
    func announce(_ notice: String) {
        self.notice = notice
    }

    /// Takes the text off the screen until the notice has been shown where the text was.
    func setTextAside() {
        guard setAside == nil else { return }
        setAside = (text.scalars, text.position)
        let drawn = text.drawn
        text.removeAll()
        if isCapable {
            send((drawn.row > 0 ? "\u{1B}[\(drawn.row)A" : "") + "\r\u{1B}[J")
        } else {
            send(String(repeating: "\n", count: drawn.rows - 1 - drawn.row) + "\r\n")
        }
        editline_redraw(session)
    }

    /// Leaves the field empty after the notice.
    func forgetTextAside() {
        setAside = nil
    }

    /// Puts `scalars` before the text before the next key is read. The cursor stays where it is in the
    /// text.
    func restore(_ scalars: [UInt32]) {
        setTextAside()
        guard let aside = setAside else { return }
        setAside = (scalars + aside.scalars, scalars.count + aside.position)
    }

    /// The text, whether it stands in the field or is set aside.
    var wholeText: String {
        setAside.map { ComposeText.string($0.scalars) } ?? text.string
    }

    /// Shows the notice, and then the text that was set aside. Called between two keys, when libedit
    /// has drawn the outcome of the last one.
    func update() {
        if let notice {
            show(notice)
            self.notice = nil
            editline_redraw(session)
        }
        if let aside = setAside {
            setAside = nil
            text.replace(aside.scalars, position: aside.position)
            editline_redraw(session)
        }
    }

    // MARK: The terminal

    /// Asks the terminal, once, to send pasted text in brackets.
    func askForBrackets() {
        guard !hasAskedForBrackets else { return }
        hasAskedForBrackets = true
        if isCapable { send("\u{1B}[?2004h") }
    }

    /// Moves the cursor below the text and takes back what was asked of the terminal.
    func leave() {
        let drawn = text.drawn
        send(String(repeating: "\n", count: drawn.rows - 1 - drawn.row))
        if drawn.rows > 1 || !text.isEmpty { send("\r\n") }
        if isCapable { send("\u{1B}[?2004l") }
    }

    /// Stops the job as Ctrl-Z does. Returns when the job is continued.
    func suspend() {
        let drawn = text.drawn
        send(String(repeating: "\n", count: drawn.rows - 1 - drawn.row) + "\r\n")
        if isCapable { send("\u{1B}[?2004l") }
        editline_set_raw(session, false)
        kill(0, SIGTSTP)
    }

    /// Draws everything anew after the process was stopped.
    func resume() {
        editline_set_raw(session, false)
        editline_set_raw(session, true)
        if isCapable { send("\r\u{1B}[J\u{1B}[?2004h") }
        editline_resize(session)
        measure()
        editline_redraw(session)
    }

    /// Draws everything anew for another size of the terminal.
    func resize() {
        measure()
        if isCapable {
            // Terminals wrap what they show anew: the text begins as many rows up as it then takes.
            let row = min(text.drawn.row, text.rows - 1)
            // Not from the first cell: some terminals keep a screen that is erased from there, and
            // show it again above the text when they grow.
            send((row > 0 ? "\u{1B}[\(row)A" : "") + "\r\u{1B}[C\u{1B}[J\r\u{1B}[K")
        }
        editline_resize(session)
        // Never more than the new screen holds, even before the window has been moved.
        _ = text.settle()
        editline_redraw(session)
    }

    private func measure() {
        var (rows, columns): (Int32, Int32) = (0, 0)
        editline_terminal_size(output, &rows, &columns)
        text.resize(rows: Int(rows), columns: Int(columns))
    }
}
