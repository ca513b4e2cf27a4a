import MemoCourier
import Testing

@Suite("A relay's URL")
struct RelayLocationTests {
    @Test(
        "is https, or http to this very machine",
        arguments: [
            "https://relay.example.org", "https://relay.example.org/memo/", "http://127.0.0.1:8080",
            "http://localhost:1", "http://[::1]:80", "http://127.9.9.9", "HTTPS://A.example",
        ]
    )
    func allowed(text: String) throws {
        #expect(try !RelayLocation(text).text.hasSuffix("/"))
    }

    @Test(
        "is never plain http to another machine",
        arguments: [
            "http://relay.example.org", "http://127.0.0.1.example.org", "http://10.0.0.1",
            "http://localhost.example.org", "http://127.0.0.256", "http://0x7f.0.0.1",
        ]
    )
    func unencrypted(text: String) {
        #expect(throws: RelayLocationError.unencrypted) { try RelayLocation(text) }
    }

    @Test(
        "is refused when it is anything else",
        arguments: [
            "", "relay", "ftp://a", "https://", "https://user:pw@a.example",
            "https://a.example/?q", "https://a.example/#f", "file:///etc/passwd",
            "http://127.0.0.1@a.example", "http://127.0.0.1%40a.example", "http://127.0.0.1\\@a",
            "https://a b.example", "https://a.example\nX: y", "https://ä.example",
        ]
    )
    func refused(text: String) {
        #expect(throws: RelayLocationError.notAURL) { try RelayLocation(text) }
    }
}
