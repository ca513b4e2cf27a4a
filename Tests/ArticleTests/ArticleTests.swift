import Foundation
import Testing

/// The code in the articles and in docs/libraries.md is copied out of this target, which compiles it.
@Suite("Articles")
struct ArticleTests {
    private static let repository = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// The page about the libraries, and every article of theirs.
    static let articles: [String] = {
        let sources = repository.appending(path: "Sources")
        let paths = FileManager.default.enumerator(atPath: sources.path)
        let found = paths?.compactMap { $0 as? String }.filter { $0.hasSuffix(".md") } ?? []
        return ["docs/libraries.md"] + found.map { "Sources/" + $0 }.sorted()
    }()

    /// The files of this target, as they are and bare.
    private static let code: [(text: String, bare: String)] = {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.filter { $0.hasSuffix(".swift") }.compactMap { name in
            try? String(contentsOf: folder.appending(path: name), encoding: .utf8)
        }.map { ($0, bare($0)) }
    }()

    /// The paragraphs of code in an article, with its lines of `import` in front of each.
    private static func paragraphs(of article: String) throws -> [(imports: [String], text: String)]
    {
        let text = try String(contentsOf: repository.appending(path: article), encoding: .utf8)
        return text.components(separatedBy: "```swift\n").dropFirst().flatMap { rest in
            let block = rest.components(separatedBy: "```")[0]
            let lines = block.components(separatedBy: "\n")
            let imports = lines.filter { $0.hasPrefix("import ") }
                .map { $0.components(separatedBy: "  //")[0] }
            let others = lines.filter { !$0.hasPrefix("import ") }.joined(separator: "\n")
            return others.components(separatedBy: "\n\n").map { (imports, $0) }
        }
    }

    /// Code without comments, white space, semicolons, and the commas that the formatter puts before
    /// a bracket.
    private static func bare(_ code: String) -> String {
        let lines = code.components(separatedBy: "\n").map { line in
            line.components(separatedBy: "//")[0].filter { !$0.isWhitespace }
        }
        return lines.joined()
            .replacingOccurrences(of: ";", with: "")
            .replacingOccurrences(of: ",)", with: ")")
            .replacingOccurrences(of: ",]", with: "]")
    }

    @Test(
        "all code in the articles compiles, with the imports that the article names",
        arguments: articles
    )
    func compiles(_ article: String) throws {
        for (imports, paragraph) in try Self.paragraphs(of: article) {
            let wanted = Self.bare(paragraph)
            let isCompiled = Self.code.contains { file in
                imports.allSatisfy { file.text.contains($0 + "\n") } && file.bare.contains(wanted)
            }
            #expect(isCompiled, "\(article) has code that no file here has:\n\(paragraph)")
        }
    }

    @Test("the articles of every library are looked at")
    func finds() {
        #expect(Self.articles.count > 20)
        #expect(Self.articles.contains("Sources/Store/Store.docc/Deriving.md"))
    }
}
