import Crypto
import CryptoExtras
import Essentials
import LibC

/// The private keys that sign mails: one for RSA, one for Ed25519, or either.
///
/// A key file has them in PEM ([RFC 7468](https://www.rfc-editor.org/rfc/rfc7468)), as OpenSSL and
/// OpenDKIM write them: `PRIVATE KEY` for both, or `RSA PRIVATE KEY`.
package struct DKIMKeys: Sendable {
    enum Kind: String, Hashable, Sendable {
        case rsa, ed25519
    }

    /// One key.
    struct Signer: Sendable {
        let kind: Kind
        /// The key in the form of a DNS record.
        let publicKey: [UInt8]
        /// The signature of data; `nil` where there is no memory for it.
        let sign: @Sendable ([UInt8]) -> [UInt8]?

        /// The name of the algorithm in a signature.
        var algorithm: String { kind.rawValue + "-sha256" }
    }

    let signers: [Signer]
    /// The keys as a key file has them.
    package let pem: String

    /// The least size of an RSA key, in bits
    /// ([RFC 8301, section 3.2](https://www.rfc-editor.org/rfc/rfc8301#section-3.2)). A record of a
    /// longer key than the largest one fits no DNS answer that every resolver takes.
    private static let sizes = 1024...4096
    private static let longestFile = 64 * 1024

    /// New keys, one of each kind. The RSA key has 2048 bits.
    ///
    /// - Throws: Whatever the cryptographic library throws when it has no memory.
    package static func made() throws -> DKIMKeys {
        let rsa = try _RSA.Signing.PrivateKey(keySize: .bits2048).pkcs8DERRepresentation
        let ed25519 = Curve25519.Signing.PrivateKey().rawRepresentation
        let blocks = [Array(rsa), ed25519Prefix + Array(ed25519)].map(block)
        guard let keys = try? DKIMKeys(pem: blocks.joined()) else { throw DKIMKeysError.malformed }
        return keys
    }

    /// Reads a key file.
    ///
    /// - Throws: ``DKIMKeysError``.
    package init(path: String) throws(DKIMKeysError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
        guard descriptor >= 0 else { throw .unreadable(code: errno) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .unreadable(code: errno) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .malformed }
        guard status.st_mode & 0o077 == 0 else { throw .openToOthers }
        var bytes = [UInt8](repeating: 0, count: Self.longestFile)
        var count = 0
        while count < bytes.count {
            let (filled, capacity) = (count, bytes.count)
            let step = bytes.withUnsafeMutableBytes { buffer in
                read(descriptor, buffer.baseAddress.map { $0 + filled }, capacity - filled)
            }
            if step < 0, errno == EINTR { continue }
            guard step >= 0 else { throw .unreadable(code: errno) }
            if step == 0 { break }
            count += step
        }
        try self.init(pem: String(decoding: bytes[..<count], as: UTF8.self))
    }

    /// Reads the text of a key file.
    ///
    /// - Throws: ``DKIMKeysError``: two keys of one kind are ``DKIMKeysError/malformed``.
    package init(pem: String) throws(DKIMKeysError) {
        var signers: [Signer] = []
        var lines: [Substring]?
        for line in pem.split(whereSeparator: \.isNewline) {
            if line.hasPrefix("-----BEGIN ") {
                guard line.contains("PRIVATE KEY-----") else { throw .malformed }
                lines = []
            } else if line.hasPrefix("-----END ") {
                guard let found = lines, let der = Data(base64Encoded: found.joined()) else {
                    throw .malformed
                }
                signers.append(try Self.signer(der: Array(der)))
                lines = nil
            } else {
                lines?.append(line)
            }
        }
        guard lines == nil, !signers.isEmpty, Set(signers.map(\.kind)).count == signers.count
        else { throw .malformed }
        self.signers = signers
        self.pem = pem
    }

    private static func signer(der: [UInt8]) throws(DKIMKeysError) -> Signer {
        if der.starts(with: ed25519Prefix) {
            let secret = der.dropFirst(ed25519Prefix.count)
            guard let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: secret) else {
                throw .malformed
            }
            // RFC 8463 signs the hash as the message.
            return Signer(kind: .ed25519, publicKey: Array(key.publicKey.rawRepresentation)) {
                (try? key.signature(for: Data(SHA256.hash(data: $0)))).map(Array.init)
            }
        }
        guard let key = try? _RSA.Signing.PrivateKey(unsafeDERRepresentation: der) else {
            throw .malformed
        }
        guard sizes.contains(key.keySizeInBits) else { throw .size(bits: key.keySizeInBits) }
        return Signer(kind: .rsa, publicKey: Array(key.publicKey.derRepresentation)) { data in
            (try? key.signature(for: SHA256.hash(data: data), padding: .insecurePKCS1v1_5))
                .map { Array($0.rawRepresentation) }
        }
    }

    /// What precedes the 32 bytes of an Ed25519 key in PKCS #8
    /// ([RFC 8410, section 7](https://www.rfc-editor.org/rfc/rfc8410#section-7)).
    private static let ed25519Prefix: [UInt8] = [
        0x30, 0x2E, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70, 0x04, 0x22, 0x04,
        0x20,
    ]

    private static func block(_ der: [UInt8]) -> String {
        let text = Data(der).base64EncodedString(
            options: [.lineLength64Characters, .endLineWithLineFeed]
        )
        return "-----BEGIN PRIVATE KEY-----\n\(text)\n-----END PRIVATE KEY-----\n"
    }

    /// A TXT record of DNS.
    package struct Record: Hashable, Sendable {
        package let name: String
        package let value: String
    }

    /// The records of the public keys.
    package func records(domain: String, selector: DKIMSelector) -> [Record] {
        signers.map { signer in
            let key = Data(signer.publicKey).base64EncodedString()
            return Record(
                name: selector.recordName(of: signer.kind, domain: domain),
                value: "v=DKIM1; k=\(signer.kind.rawValue); p=\(key)"
            )
        }
    }
}

/// A key file that cannot be used. No error quotes the file.
package enum DKIMKeysError: Error, Hashable, Sendable {
    /// The file cannot be read. `code` is the system's error number.
    case unreadable(code: Int32)
    /// Others than the file's owner may read it.
    case openToOthers
    /// The file has no key in PEM, two of one kind, or one of another kind than RSA and Ed25519.
    case malformed
    /// The RSA key has fewer than 1024 bits, or more than 4096.
    case size(bits: Int)
}
