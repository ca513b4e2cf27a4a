import Essentials
import Testing

@testable import MailDomain

@Suite("The record of a public key")
struct KeyRecordTests {
    /// A key in DER with a modulus of so many bits, bare or within a `SubjectPublicKeyInfo`.
    private static func der(bits: Int, isBare: Bool) -> [UInt8] {
        var modulus = [UInt8](repeating: 0xA5, count: (bits + 7) / 8)
        modulus[0] = UInt8(truncatingIfNeeded: 1 << ((bits - 1) % 8))
        if modulus[0] >= 0x80 { modulus.insert(0, at: 0) }
        let key = element(0x30, element(0x02, modulus) + element(0x02, [1, 0, 1]))
        if isBare { return key }
        let algorithm: [UInt8] = [6, 9, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 1, 1, 5, 0]
        return element(0x30, element(0x30, algorithm) + element(0x03, [0] + key))
    }

    private static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        let count = content.count
        let length: [UInt8] =
            count < 0x80
            ? [UInt8(count)]
            : count < 0x100
                ? [0x81, UInt8(count)] : [0x82, UInt8(count >> 8), UInt8(count & 255)]
        return [tag] + length + content
    }

    private static func base64(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }

    private func read(_ text: String) throws -> DKIMRecord { try DKIMRecord(Array(text.utf8)) }

    @Test("tells the size of an RSA key", arguments: [512, 1023, 1024, 1536, 2048, 4096])
    func sizes(_ bits: Int) throws {
        for isBare in [true, false] {
            let der = Self.der(bits: bits, isBare: isBare)
            #expect(RSAKeySize.bits(of: der) == bits)
            let record = try read("v=DKIM1; k=rsa; p=\(Self.base64(der))")
            #expect(record.key == .rsa(bits: bits) && record.bytes == der)
            for end in der.indices { #expect(RSAKeySize.bits(of: Array(der[..<end])) == nil) }
            for index in der.indices {
                var damaged = der
                damaged[index] ^= 0xFF
                _ = RSAKeySize.bits(of: damaged)
            }
        }
    }

    @Test("has an Ed25519 key of 32 bytes, with spaces anywhere between tags and digits")
    func ed25519() throws {
        let key = Self.base64([UInt8](repeating: 7, count: 32))
        let spaced = key.prefix(9) + " " + key.dropFirst(9)
        for text in [
            "v=DKIM1; k=ed25519; p=\(key)", "v=DKIM1;k=ed25519;p=\(spaced);",
            " k = ed25519 ;\tp= \(key) ",
            "v=DKIM1; k=ed25519; h=sha1:sha256; s=*; t=s; x-own=1; p=\(key)",
        ] {
            let record = try read(text)
            #expect(record.key == .ed25519 && !record.isTest)
        }
        #expect(try read("v=DKIM1; t=s:y; k=ed25519; p=\(key)").isTest)
    }

    @Test(
        "that receivers cannot use says why",
        arguments: [
            ("", DKIMMistake.noKey), ("no tags", .syntax), ("v=DKIM1; v=DKIM1; p=", .syntax),
            ("p=; v=DKIM1", .version), ("v=DKIM2; p=", .version), ("v=DKIM1; k=rsa", .noKey),
            ("v=DKIM1; p=*", .badKey), ("v=DKIM1; p=AAAA", .badKey),
            ("v=DKIM1; k=ed25519; p=AAAA", .badKey), ("v=DKIM1; k=dsa; p=AAAA", .otherAlgorithm),
            ("v=DKIM1; h=sha1; p=", .otherHash), ("v=DKIM1; s=tls; p=", .otherService),
            ("v=DKIM1; n=\u{1B}[2J; p=", .syntax),
        ]
    )
    func mistakes(_ text: String, _ mistake: DKIMMistake) {
        #expect(throws: mistake) { try read(text) }
    }

    @Test("without a key is revoked")
    func revoked() throws {
        #expect(try read("v=DKIM1; p=").key == .revoked)
    }
}
