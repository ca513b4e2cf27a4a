import EditLine
import MemoCore
import MemoKit

extension Composer {
    func perform(_ number: Int32) -> Int32 {
        guard let command = ComposerCommand(rawValue: number) else { return outcome(false) }
        switch command {
        case .insert:
            let scalars = pending
            pending = []
            return outcome(text.insert(scalars))
        case .send: return sendMemo()
        case .leave: return leave()
        case .suspend:
            suspend()
            return Int32(EDITLINE_DONE)
        case .settle: return outcome(text.settle())
        case .left: return moveByCharacter(-1)
        case .right: return moveByCharacter(1)
        case .up: return moveByRows(-1)
        case .down: return moveByRows(1)
        case .pageUp: return moveByRows(-max(1, text.rows / 2))
        case .pageDown: return moveByRows(max(1, text.rows / 2))
        case .lineStart: return move(to: lineStart)
        case .lineEnd: return move(to: lineEnd)
        case .textStart:
            text.replace(text.scalars, position: 0)
            return outcome(true)
        case .textEnd:
            let all = text.scalars
            text.replace(all, position: all.count)
            return outcome(true)
        case .deleteBack: return delete(-1)
        case .deleteForward: return delete(1)
        case .killToLineEnd: return kill(toEnd: true)
        case .killToLineStart: return kill(toEnd: false)
        }
    }

    /// Leaves; when that would lose the text, says so the first time, and stays.
    private func leave() -> Int32 {
        isDraftDue = true
        saveDraft()
        if let draftFailure, !isLossAnnounced, !text.isEmpty {
            isLossAnnounced = true
            notice = language.string(.draftLossAhead, draftFailure.sentence(in: language))
            setTextAside()
            return outcome(true)
        }
        end = .left
        return Int32(EDITLINE_FINISH)
    }

    /// Stores the memo, then empties the field; or shows why not, and keeps the text.
    private func sendMemo() -> Int32 {
        guard !text.isEmpty else {
            end = .left
            sentAt = nil
            isDraftDue = true
            return Int32(EDITLINE_FINISH)
        }
        do {
            let box = try openedBox()
            try box.send(text.string)
            isDraftDue = false
            text.removeAll()
            summonAgent(of: box)
        } catch {
            sentAt = nil
            notice = language.string(.notSent, error.sentence(in: language))
            setTextAside()
        }
        return outcome(true)
    }

    private func summonAgent(of box: MemoBox) {
        do {
            if try box.summonAgent() == .noAccount, !hasShownAccountNotice {
                hasShownAccountNotice = true
                notice = language.string(CommandText.savedSignedOut)
            }
        } catch {
            notice = language.string(.savedNotLeaving, error.sentence(in: language))
        }
    }

    /// Takes the text off the screen, so that a notice can be shown where it was.
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

    private func outcome(_ isDone: Bool) -> Int32 {
        Int32(isDone ? EDITLINE_REFRESH : EDITLINE_BEEP)
    }

    private func move(to index: Int) -> Int32 {
        let cursor = text.window.cursor
        editline_move(session, index - cursor)
        return outcome(true)
    }

    private func moveByRows(_ distance: Int) -> Int32 {
        let (window, cursor) = text.window
        let layout = ScreenLayout(window, cursor: cursor, columns: text.columns)
        let row = min(max(0, layout.cursor.row + distance), layout.rows - 1)
        guard row != layout.cursor.row else { return outcome(false) }
        return move(to: layout.index(row: row, column: layout.cursor.column, of: window))
    }

    private var lineStart: Int {
        let (window, cursor) = text.window
        return window[..<cursor].lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
    }

    private var lineEnd: Int {
        let (window, cursor) = text.window
        return window[cursor...].firstIndex(of: 0x0A) ?? window.count
    }

    private func moveByCharacter(_ direction: Int) -> Int32 {
        let length = characterLength(direction)
        guard length > 0 else { return outcome(false) }
        editline_move(session, direction * length)
        return outcome(true)
    }

    private func delete(_ direction: Int) -> Int32 {
        let length = characterLength(direction)
        guard length > 0 else { return outcome(false) }
        return outcome(
            editline_delete(session, direction < 0 ? length : 0, direction < 0 ? 0 : length)
        )
    }

    /// How many cells the character before or after the cursor has: more than one for a joined
    /// emoji, a flag, or an emoji with a skin tone.
    private func characterLength(_ direction: Int) -> Int {
        let (window, cursor) = text.window
        let near =
            direction < 0
            ? window[..<cursor].suffix(64) : window[cursor...].prefix(64)
        guard !near.isEmpty else { return 0 }
        var scalars = String.UnicodeScalarView()
        for scalar in text.cells.decode(near) {
            scalars.append(Unicode.Scalar(scalar) ?? "\u{FFFD}")
        }
        let string = String(scalars)
        let character = direction < 0 ? string.last! : string.first!
        let target = character.unicodeScalars.count
        // A cell is never part of two characters, save where the excerpt was cut.
        var length = 0
        var reached = 0
        while reached < target, length < near.count {
            let index =
                direction < 0 ? near.endIndex - length - 1 : near.startIndex + length
            reached += text.cells.decode(near[index...index]).count
            length += 1
        }
        return length
    }

    /// Has libedit mark, move and kill, so that its own yank brings the text back.
    private func kill(toEnd: Bool) -> Int32 {
        let (window, cursor) = text.window
        var motion = toEnd ? ComposerCommand.lineEnd : .lineStart
        if toEnd, lineEnd == cursor {
            guard cursor < window.count else { return outcome(false) }
            motion = .right
        } else if !toEnd, lineStart == cursor {
            guard cursor > 0 else { return outcome(false) }
            motion = .left
        }
        editline_push(
            session,
            [Int32(EDITLINE_SET_MARK), motion.key, Int32(EDITLINE_KILL_REGION), 0]
        )
        return outcome(true)
    }
}
