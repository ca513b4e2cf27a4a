#if arch(wasm32)
    @_extern(c, "sbrk")
    private func grow(_ length: Int) -> UnsafeMutableRawPointer?

    nonisolated(unsafe) private var heap = Heap()

    /// The memory of the web app's module, which a page that uses SyncCore has already.
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

    @_extern(c, "__wasm_call_ctors")
    private func construct()

    /// Runs what the C library runs first. A module that does it itself is a library to the linker,
    /// which otherwise runs first and last things around every call.
    @_expose(wasm, "_initialize")
    @_cdecl("_initialize")
    func initialize() { construct() }
#endif
