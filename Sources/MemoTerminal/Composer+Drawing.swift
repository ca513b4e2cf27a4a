import EditLine
import LibC

extension Composer {
    /// Writes what libedit draws, each stand-in as the letter and marks that it stands for.
    func draw(_ bytes: UnsafeRawBufferPointer) {
        // Stand-ins are four bytes in UTF-8, and libedit's buffer may end within one.
        guard !tail.isEmpty || bytes.contains(where: { $0 >= 0xF0 }) else {
            return writeAll(bytes, to: output)
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
            for drawn in text.cells.drawn(scalar) ?? [scalar] {
                result += UTF8.encode(Unicode.Scalar(drawn) ?? "\u{FFFD}")!
            }
            index += 4
        }
        result.withUnsafeBytes { writeAll($0, to: output) }
    }

    /// Writes a line of its own, quietly.
    func show(_ line: String) {
        send(isCapable ? "\r\u{1B}[2m\(line)\u{1B}[22m\u{1B}[K\r\n" : "\r\(line)\r\n")
    }

    func send(_ string: String) {
        var string = string
        string.withUTF8 { writeAll(UnsafeRawBufferPointer($0), to: output) }
    }

    /// Stops the job as Ctrl-Z does, and goes on when it is continued.
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
        editline_terminal_size(output, &rows, &columns)
        editline_redraw(session)
    }

    /// Draws everything anew for another size of the terminal.
    func resize() {
        editline_terminal_size(output, &rows, &columns)
        if isCapable {
            // Terminals wrap what they show anew: the text begins as many rows up as it now takes.
            let row = min(text.drawn.row, text.rows - 1)
            send((row > 0 ? "\u{1B}[\(row)A" : "") + "\r\u{1B}[J")
        }
        editline_resize(session)
        // Never more than the new screen holds, even before the window has been moved.
        if text.settle() { mayNeedSettling = false }
        editline_redraw(session)
    }
}
