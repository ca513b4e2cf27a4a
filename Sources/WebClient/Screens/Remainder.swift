/// The text that stays in a field after its memo was sent while the person typed on.
enum Remainder {
    /// The text that was put into the field since it held `sent`: `current` without the common
    /// beginning and the common end.
    ///
    /// - Complexity: O(length).
    static func of(_ current: [UInt8], sent: [UInt8]) -> [UInt8] {
        let shorter = min(current.count, sent.count)
        var prefix = 0
        while prefix < shorter, current[prefix] == sent[prefix] { prefix += 1 }
        while prefix > 0, prefix < current.count, current[prefix] & 0xC0 == 0x80 { prefix -= 1 }
        var suffix = 0
        while suffix < shorter - prefix,
            current[current.count - 1 - suffix] == sent[sent.count - 1 - suffix]
        {
            suffix += 1
        }
        while suffix > 0, current[current.count - suffix] & 0xC0 == 0x80 { suffix -= 1 }
        return Array(current[prefix..<current.count - suffix])
    }
}
