import Foundation
import NIOCore
import TemporaryFolders
import Testing

@testable import RelayServer

@Suite("A web app in a folder or in a program")
struct WebBundleTests {
    private let folder: TemporaryFolder
    private let log = RecordedLog()
    private static let unreadable = "this program cannot read its own file, so it holds no web app"

    init() throws {
        folder = try TemporaryFolder()
        try write("web/index.html", "index")
        try write("web/icons/icon.svg", "icon")
        try write("web/.hidden", "hidden")
        try write("program", "a program's own bytes")
    }

    private func write(_ path: String, _ text: String) throws {
        let url = URL(fileURLWithPath: folder.path + "/" + path)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(),
            withIntermediateDirectories: true
        )
        try Data(text.utf8).write(to: url)
    }

    private func embed(in program: String = "program", output: String = "output") throws {
        try WebBundle.embed(
            folder: folder.path + "/web",
            in: folder.path + "/" + program,
            output: folder.path + "/" + output
        )
    }

    private func embedded(in program: String) throws(WebBundleError) -> WebBundle? {
        try WebBundle.embedded(in: folder.path + "/" + program, logger: log.logger("relay"))
    }

    private func text(_ path: String, in bundle: WebBundle?) -> String? {
        let representation = bundle?.file(at: path)?.representation(for: AcceptEncoding(nil))
        return representation.map { String(buffer: $0.bytes) }
    }

    @Test("is all of the folder's files but the hidden ones")
    func folderFiles() throws {
        let bundle = try WebBundle(folder: folder.path + "/web")
        #expect(text("/", in: bundle) == "index")
        #expect(text("/icons/icon.svg", in: bundle) == "icon")
        #expect(text("/.hidden", in: bundle) == nil)
    }

    @Test("keeps serving what it was when it was read")
    func isReadOnce() throws {
        let bundle = try WebBundle(folder: folder.path + "/web")
        try write("web/index.html", "changed")
        #expect(text("/", in: bundle) == "index")
    }

    @Test("is refused when it cannot be one")
    func refusals() throws {
        #expect(throws: WebBundleError.unreadable) {
            try WebBundle(folder: folder.path + "/missing")
        }
        #expect(throws: WebBundleError.noIndex) {
            try WebBundle(folder: folder.path + "/web/icons")
        }
        #expect(throws: WebBundleError.noIndex) { try WebBundle(["app.js": [1]]) }
        for name in ["a b", "../x", "a//b", "/a", "a/", "a/.b", "ä", "a?b", "a%2eb", ""] {
            #expect(throws: WebBundleError.unusableName, "\(name)") {
                try WebBundle(["index.html": [1], name: [2]])
            }
        }
        let many = (0..<1000).map { ("f\($0)", [UInt8(1)]) } + [("index.html", [1])]
        #expect(throws: WebBundleError.tooLarge) {
            try WebBundle(Dictionary(uniqueKeysWithValues: many))
        }
    }

    @Test("is read from a program as it was put there, whose own bytes are unchanged")
    func roundTrip() throws {
        try embed()
        let bundle = try embedded(in: "output")
        #expect(text("/", in: bundle) == "index")
        #expect(text("/icons/icon.svg", in: bundle) == "icon")
        let program = try folder.bytes(of: "program")
        #expect(try folder.bytes(of: "output").starts(with: program))
        let attributes = try FileManager.default.attributesOfItem(atPath: folder.path + "/output")
        #expect(attributes[.posixPermissions] as? Int == 0o755)
    }

    @Test("leaves nothing behind when the copy cannot be put in its place")
    func unwritable() throws {
        try write("taken/file", "a folder is there already")
        let before = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        #expect(throws: WebBundleError.unwritable) { try embed(output: "taken") }
        let after = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        #expect(after == before)
    }

    @Test("is written through no link that somebody else put there")
    func link() throws {
        try write("victim", "somebody's own")
        for name in ["output", "output.new"] {
            try FileManager.default.createSymbolicLink(
                atPath: folder.path + "/" + name,
                withDestinationPath: folder.path + "/victim"
            )
        }
        try embed()
        #expect(try folder.bytes(of: "victim") == Array("somebody's own".utf8))
        #expect(text("/", in: try embedded(in: "output")) == "index")
    }

    @Test("takes the place of the one before")
    func replaces() throws {
        try embed()
        let once = try folder.bytes(of: "output")
        try embed(in: "output")
        #expect(try folder.bytes(of: "output") == once)
        try write("web/index.html", "new")
        try embed(in: "output")
        #expect(text("/", in: try embedded(in: "output")) == "new")
    }

    @Test("is absent from a program that holds none")
    func absent() throws {
        #expect(try embedded(in: "program") == nil)
        try write("short", "x")
        #expect(try embedded(in: "short") == nil)
        #expect(log.lines.isEmpty)
        #expect(try embedded(in: "missing") == nil)
        #expect(log.lines.map(\.message) == [Self.unreadable])
    }

    @Test("is refused when any bit of it was changed, or any byte of it is missing")
    func damage() throws {
        try embed()
        let program = try folder.bytes(of: "program").count
        let whole = try folder.bytes(of: "output")
        for position in program..<whole.count {
            var bytes = whole
            bytes[position] ^= 0x10
            try expectNoWebApp(in: bytes)
            bytes = whole
            bytes.remove(at: position)
            try expectNoWebApp(in: bytes)
        }
    }

    /// The mark at the end tells that there is one; without it there is none.
    private func expectNoWebApp(in bytes: [UInt8]) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: folder.path + "/damaged"))
        do {
            #expect(try embedded(in: "damaged") == nil)
        } catch {
            #expect(error == .damaged)
        }
    }
}
