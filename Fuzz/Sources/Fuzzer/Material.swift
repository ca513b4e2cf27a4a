/// The material for a valid value: the fuzzer's input, then zeros.
struct Material {
    private var rest: ArraySlice<UInt8>

    init(_ input: [UInt8]) {
        rest = input[...]
    }

    mutating func bytes(_ count: Int) -> [UInt8] {
        let taken = Array(rest.prefix(count))
        rest = rest.dropFirst(count)
        return taken + [UInt8](repeating: 0, count: count - taken.count)
    }

    mutating func integer<Value: FixedWidthInteger>(_: Value.Type) -> Value {
        Value(truncatingIfNeeded: number(bytes(Value.bitWidth / 8)))
    }

    /// At most `longest` bytes; now and then exactly as many, or one less.
    mutating func name(longest: Int) -> [UInt8] {
        let choice = Int(integer(UInt16.self))
        switch choice % 32 {
        case 0: return bytes(longest)
        case 1: return bytes(longest - 1)
        default: return bytes(min(choice / 32 % (longest + 1), rest.count))
        }
    }

    /// A name, or none.
    mutating func optionalName(longest: Int) -> [UInt8]? {
        integer(UInt8.self) % 2 == 0 ? nil : name(longest: longest)
    }

    /// The rest of the input.
    mutating func remainder() -> [UInt8] { bytes(rest.count) }
}
