import OutboxCore

#if canImport(Darwin)
    import Crypto
#else
    import CCryptoBoringSSL
#endif

// AES-256-GCM and SHA-256: CryptoKit's on Apple systems; elsewhere BoringSSL's, by its C functions.
// The Swift interface of swift-crypto brings Foundation's essentials, seven megabytes in a static
// program.

/// AES-256-GCM under one key. Any number of threads may use it at once. The key's bytes are
/// overwritten when nothing uses them any more.
final class SealingCipher: @unchecked Sendable {
    /// The length of a key, in bytes.
    static let keyLength = 32

    #if canImport(Darwin)
        private let key: SymmetricKey
    #else
        private let key: UnsafeMutableRawBufferPointer
        // "May be called concurrently with itself or any other seal/open function on the same
        // EVP_AEAD_CTX": BoringSSL's aead.h.
        private let context: UnsafeMutablePointer<EVP_AEAD_CTX>
    #endif

    /// - Precondition: `key` has ``keyLength`` bytes.
    init(key: some Collection<UInt8>) {
        precondition(key.count == Self.keyLength, "a key has 32 bytes")
        #if canImport(Darwin)
            self.key = SymmetricKey(data: Array(key))
        #else
            self.key = .allocate(byteCount: Self.keyLength, alignment: 1)
            self.key.copyBytes(from: key)
            let context = CCryptoBoringSSL_EVP_AEAD_CTX_new(
                CCryptoBoringSSL_EVP_aead_aes_256_gcm(),
                self.key.baseAddress?.assumingMemoryBound(to: UInt8.self),
                Self.keyLength,
                SealedRecord.tagLength
            )
            guard let context else { preconditionFailure("no memory for a key") }
            self.context = context
        #endif
    }

    #if !canImport(Darwin)
        deinit {
            CCryptoBoringSSL_EVP_AEAD_CTX_free(context)
            CCryptoBoringSSL_OPENSSL_cleanse(key.baseAddress, key.count)
            key.deallocate()
        }
    #endif

    /// Calls `body` with the bytes of the key.
    func withUnsafeBytes<Result>(
        _ body: (UnsafeRawBufferPointer) throws -> Result
    ) rethrows -> Result {
        #if canImport(Darwin)
            try key.withUnsafeBytes(body)
        #else
            try body(UnsafeRawBufferPointer(key))
        #endif
    }

    /// Appends nonce, ciphertext and tag to `bytes`.
    func seal(
        _ payload: [UInt8],
        authenticating associated: [UInt8],
        nonce: SealingNonce,
        appendingTo bytes: inout [UInt8]
    ) throws {
        nonce.withUnsafeBytes { bytes.append(contentsOf: $0) }
        #if canImport(Darwin)
            let box = try AES.GCM.seal(
                payload,
                using: key,
                nonce: nonce.withUnsafeBytes { try AES.GCM.Nonce(data: $0) },
                authenticating: associated
            )
            bytes.append(contentsOf: box.ciphertext)
            bytes.append(contentsOf: box.tag)
        #else
            let start = bytes.count
            bytes.append(contentsOf: payload)
            bytes.append(contentsOf: repeatElement(0, count: SealedRecord.tagLength))
            let isSealed = bytes.withUnsafeMutableBufferPointer { bytes in
                let room = UnsafeMutableBufferPointer(rebasing: bytes[start...])
                var length = 0
                return nonce.withUnsafeBytes { nonce in
                    CCryptoBoringSSL_EVP_AEAD_CTX_seal(
                        context,
                        room.baseAddress,
                        &length,
                        room.count,
                        nonce.baseAddress?.assumingMemoryBound(to: UInt8.self),
                        nonce.count,
                        room.baseAddress,
                        payload.count,
                        associated,
                        associated.count
                    ) == 1
                }
            }
            precondition(isSealed, "AES-GCM seals whatever has room")
        #endif
    }

    /// The payload of nonce, ciphertext and tag; `nil` for bytes that this key did not seal with the
    /// same associated data.
    func opened(_ sealed: ArraySlice<UInt8>, authenticating associated: [UInt8]) -> [UInt8]? {
        let overhead = SealedRecord.nonceLength + SealedRecord.tagLength
        guard sealed.count >= overhead else { return nil }
        #if canImport(Darwin)
            guard let box = try? AES.GCM.SealedBox(combined: sealed) else { return nil }
            return (try? AES.GCM.open(box, using: key, authenticating: associated)).map {
                Array($0)
            }
        #else
            var isOpen = false
            let payload = sealed.withUnsafeBufferPointer { sealed in
                [UInt8](unsafeUninitializedCapacity: sealed.count - overhead) { room, length in
                    isOpen =
                        CCryptoBoringSSL_EVP_AEAD_CTX_open(
                            context,
                            room.baseAddress,
                            &length,
                            sealed.count - overhead,
                            sealed.baseAddress,
                            SealedRecord.nonceLength,
                            sealed.baseAddress.map { $0 + SealedRecord.nonceLength },
                            sealed.count - SealedRecord.nonceLength,
                            associated,
                            associated.count
                        ) == 1
                    if !isOpen { length = 0 }
                }
            }
            return isOpen ? payload : nil
        #endif
    }
}

/// SHA-256.
enum SealingHash {
    /// The first four bytes of the hash.
    static func check(_ bytes: [UInt8]) -> [UInt8] {
        #if canImport(Darwin)
            Array(SHA256.hash(data: bytes).prefix(4))
        #else
            let hash = [UInt8](unsafeUninitializedCapacity: 32) { room, length in
                _ = CCryptoBoringSSL_SHA256(bytes, bytes.count, room.baseAddress)
                length = 32
            }
            return Array(hash.prefix(4))
        #endif
    }
}
