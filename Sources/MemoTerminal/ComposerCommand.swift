/// The commands of the composer, beside libedit's own editing.
enum ComposerCommand: Int32, CaseIterable {
    case insert, send, leave, suspend, settle
    case left, right, up, down, lineStart, lineEnd, textStart, textEnd, pageUp, pageDown
    case deleteBack, deleteForward, killToLineEnd, killToLineStart
    case empty, bringBack, showKeys

    /// The keys that a key of the terminal is for libedit: commands by number, the rest as it is.
    static func keys(for key: KeyReader.Key) -> [Int32] {
        switch key {
        case .text, .paste: [ComposerCommand.insert.key]
        case .control(let byte, alt: false): controls[byte].map { [$0.key] } ?? [Int32(byte)]
        case .control(let byte, alt: true): [0x1B, Int32(byte)]
        case .sequence(let sequence): sequences[sequence] ?? []
        }
    }

    /// The character under which libedit knows the command.
    var key: Int32 { 0x80 + rawValue }

    private static let controls: [UInt8: ComposerCommand] = [
        0x01: .lineStart, 0x02: .left, 0x03: .leave, 0x04: .send, 0x05: .lineEnd, 0x06: .right,
        0x07: .showKeys, 0x08: .deleteBack, 0x0B: .killToLineEnd, 0x0E: .down, 0x10: .up,
        0x15: .killToLineStart,
        0x18: .empty, 0x1A: .suspend, 0x7F: .deleteBack,
    ]

    /// Alt-B and Alt-F, which are libedit's own.
    private static let wordLeft: [Int32] = [0x1B, 0x62]
    private static let wordRight: [Int32] = [0x1B, 0x66]

    /// The sequences of xterm, tmux, screen, the Linux console and rxvt.
    private static let sequences: [String: [Int32]] = [
        "[A": [up.key], "OA": [up.key], "[B": [down.key], "OB": [down.key],
        "[C": [right.key], "OC": [right.key], "[D": [left.key], "OD": [left.key],
        "[H": [lineStart.key], "OH": [lineStart.key], "[1~": [lineStart.key],
        "[7~": [lineStart.key],
        "[F": [lineEnd.key], "OF": [lineEnd.key], "[4~": [lineEnd.key], "[8~": [lineEnd.key],
        "[3~": [deleteForward.key], "[5~": [pageUp.key], "[6~": [pageDown.key],
        "OP": [showKeys.key], "[11~": [showKeys.key],
        "[1;5H": [textStart.key], "[1;5F": [textEnd.key],
        "[1;5D": wordLeft, "[1;3D": wordLeft, "[1;5C": wordRight, "[1;3C": wordRight,
    ]
}
