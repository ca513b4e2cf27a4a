import Testing

@testable import MemoDoors

@Suite("The memo of what another app shares")
struct SharedTextTests {
    @Test("has the title of the page in its first line, and the link below it")
    func page() {
        let shared = SharedText(title: "A page", links: ["https://example.org/page"])
        #expect(shared.memo == "A page\nhttps://example.org/page")
    }

    @Test("is a text as it is, without the white space around it")
    func text() {
        #expect(SharedText(texts: ["\n Buy milk\n and bread \n"]).memo == "Buy milk\n and bread")
    }

    @Test("says nothing twice")
    func twice() {
        let link = "https://example.org/"
        #expect(
            SharedText(title: "Buy milk", texts: ["Buy milk and bread"]).memo
                == "Buy milk and bread"
        )
        #expect(SharedText(texts: ["Look: \(link)"], links: [link]).memo == "Look: \(link)")
        #expect(SharedText(title: "T", links: [link, link]).memo == "T\n\(link)")
    }

    @Test("of nothing visible is empty", arguments: [nil, "", " \n "])
    func nothing(title: String?) {
        #expect(SharedText(title: title, texts: ["", " "], links: [""]).memo == "")
    }
}
