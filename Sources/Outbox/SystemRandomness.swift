import LibC

/// The system's generator of random bytes, which is fit for keys.
enum SystemRandomness {
    /// The most bytes that one call gives.
    static let most = 256

    /// Fills `bytes`, of which there are at most ``most``, by one call of the system.
    static func fill(_ bytes: UnsafeMutableRawBufferPointer) {
        #if canImport(Darwin)
            arc4random_buf(bytes.baseAddress, bytes.count)
        #else
            let code = getentropy(bytes.baseAddress, bytes.count)
            precondition(code == 0, "the system has no random bytes")
        #endif
    }
}
