import WireCore

/// The long code of a mail about signing in: 100 random bits, as 20 characters of
/// [Crockford's base 32](https://www.crockford.com/base32.html). Nobody guesses it, so it can be tried
/// under every handle, for a day.
public enum LongCode {
    /// The number of characters.
    public static let length = 20

    /// The characters, of which none looks like another one.
    public static let alphabet: StaticString = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

    /// The long code that a text is, in the form in which it is compared: capitals without separators.
    ///
    /// Case, spaces and hyphens of any kind do not count; `I` and `L` are read as `1`, `O` as `0`.
    ///
    /// - Returns: `nil` for a text that is no long code.
    public static func read(_ text: [UInt8]) -> [UInt8]? {
        guard let characters = characters(of: text), characters.count == length else { return nil }
        return characters
    }

    /// Whether a text may be the beginning of a long code: not digits alone.
    static func isBegun(in text: [UInt8]) -> Bool {
        guard let characters = characters(of: text), characters.count < length else { return false }
        return characters.contains { $0 > 0x39 }
    }

    /// The characters of a text that has nothing but characters of long codes and separators.
    private static func characters(of text: [UInt8]) -> [UInt8]? {
        let known = alphabet.bytes
        var characters: [UInt8] = []
        for byte in text {
            switch byte {
            // Space, tab, ends of lines, hyphen; beyond ASCII are other spaces and hyphens.
            case 0x20, 0x09, 0x0A, 0x0D, 0x2D, 0x80...0xFF: continue
            default: break
            }
            let capital = 0x61...0x7A ~= byte ? byte - 0x20 : byte
            switch capital {
            case 0x49, 0x4C: characters.append(0x31)
            case 0x4F: characters.append(0x30)
            default:
                guard known.contains(capital) else { return nil }
                characters.append(capital)
            }
        }
        return characters
    }
}
