import WebClient

/// The module is a library to its host: `main` does nothing.
@main struct WebModule {
    static func main() {}
}

#if arch(wasm32)
    /// Fills memory with random bytes of the host's cryptographic source.
    @_extern(wasm, module: "wasi_snapshot_preview1", name: "random_get")
    @_extern(c, "random_get")
    private func fillRandomly(_ start: UnsafeMutableRawPointer, _ length: Int32) -> Int32

    /// Where Swift's randomness comes from. In place of the C library's, whose own generator brings
    /// formatted printing with it: a tenth of the module.
    @_cdecl("arc4random_buf")
    func randomBytes(_ start: UnsafeMutableRawPointer, _ length: Int) {
        guard fillRandomly(start, Int32(length)) == 0 else { fatalError() }
    }

    @_extern(c, "sbrk")
    private func grow(_ length: Int) -> UnsafeMutableRawPointer?

    nonisolated(unsafe) private var heap = Heap()

    /// Where Swift's memory comes from: the linker lets these two stand in for the C library's
    /// allocator, which is a twentieth of the module.
    @_cdecl("__wrap_posix_memalign")
    func allocate(
        _ block: UnsafeMutablePointer<UnsafeMutableRawPointer?>,
        _ alignment: Int,
        _ length: Int
    ) -> Int32 {
        guard alignment <= Heap.alignment else { fatalError() }
        block.pointee = heap.allocate(length) { length in
            let start = grow(length)
            return start == UnsafeMutableRawPointer(bitPattern: -1) ? nil : start
        }
        return block.pointee == nil ? outOfMemory : 0
    }

    /// ENOMEM.
    private let outOfMemory: Int32 = 48

    @_cdecl("__wrap_free")
    func free(_ block: UnsafeMutableRawPointer?) {
        if let block { heap.free(block) }
    }
#endif

nonisolated(unsafe) private let app = App()
/// The bytes of the next event, and the commands that the last one led to.
nonisolated(unsafe) private var input: UnsafeMutableBufferPointer<UInt8> = .allocate(capacity: 0)
nonisolated(unsafe) private var inputLength = 0
nonisolated(unsafe) private var output: [UInt8] = []

/// Room for the bytes of the next event.
@_expose(wasm, "input_buffer")
@_cdecl("input_buffer")
func inputBuffer(_ length: Int32) -> UnsafeMutablePointer<UInt8>? {
    input.deallocate()
    input = .allocate(capacity: max(1, Int(length)))
    inputLength = Int(length)
    return input.baseAddress
}

/// Handles an event; answers the number of bytes of commands.
@_expose(wasm, "event")
@_cdecl("event")
func event(_ kind: UInt32, _ number: UInt32, _ wallTime: Double, _ monotonicTime: Double) -> Int32 {
    output = app.handle(
        kind: kind,
        number: number,
        bytes: Array(input[..<inputLength]),
        wallTime: wallTime,
        monotonicTime: monotonicTime
    )
    return Int32(output.count)
}

/// The commands, until the next event.
@_expose(wasm, "output_buffer")
@_cdecl("output_buffer")
func outputBuffer() -> UnsafePointer<UInt8>? {
    output.withUnsafeBufferPointer { $0.baseAddress }
}
