/// The bytes that the host and this module exchange. The host writes its input at
/// `input_buffer(length)` and reads the output at `output_buffer()`.
nonisolated(unsafe) private var input: UnsafeMutableBufferPointer<UInt8> = .allocate(capacity: 0)
nonisolated(unsafe) private var output: UnsafeMutableBufferPointer<UInt8> = .allocate(capacity: 0)

@_expose(wasm, "input_buffer")
@_cdecl("input_buffer")
func inputBuffer(_ length: Int32) -> UnsafeMutablePointer<UInt8>? {
    input.deallocate()
    input = .allocate(capacity: Int(length))
    return input.baseAddress
}

@_expose(wasm, "output_buffer")
@_cdecl("output_buffer")
func outputBuffer() -> UnsafeMutablePointer<UInt8>? { output.baseAddress }

func takeInput() -> [UInt8] { Array(input) }

/// Makes `bytes` readable by the host; answers their number.
func give(_ bytes: [UInt8]) -> Int32 {
    output.deallocate()
    output = .allocate(capacity: bytes.count)
    _ = output.initialize(fromContentsOf: bytes)
    return Int32(bytes.count)
}
