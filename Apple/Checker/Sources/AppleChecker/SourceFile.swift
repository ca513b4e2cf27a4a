import SwiftIfConfig
import SwiftParser
import SwiftSyntax

/// A file of the sources, with its conditions.
struct SourceFile {
    /// One clause of an `#if`: the directive and the code that depends on it.
    struct Branch {
        let line: Int
        /// The directive, as it is written.
        let text: String
        let isFirst: Bool
    }

    let path: String
    private let bytes: [UInt8]
    private let tree: SourceFileSyntax
    private let clauses: [IfConfigClauseSyntax]

    init(path: String, bytes: [UInt8]) {
        self.path = path
        self.bytes = bytes
        // Most files have no condition, and reading one takes long.
        let text = String(decoding: bytes, as: UTF8.self)
        tree = Parser.parse(source: text.contains("#if") ? text : "")
        let collector = ClauseCollector(viewMode: .sourceAccurate)
        collector.walk(tree)
        clauses = collector.clauses
    }

    /// The branches, in the order of the file.
    var branches: [Branch] {
        let lines = SourceLocationConverter(fileName: path, tree: tree)
        return clauses.map { clause in
            Branch(
                line: lines.location(for: clause.poundKeyword.positionAfterSkippingLeadingTrivia)
                    .line,
                text: (clause.poundKeyword.text + " " + (clause.condition?.trimmedDescription ?? ""))
                    .trimmed,
                isFirst: clause.poundKeyword.tokenKind == .poundIf
            )
        }
    }

    /// The code of one system, every line in its place, and which branches are in it.
    ///
    /// - Throws: ``Unanswered`` for a condition that the system does not know.
    func side(of system: System) throws -> (bytes: [UInt8], isActive: [Bool]) {
        let regions = tree.configuredRegions(in: system)
        if let diagnostic = regions.diagnostics.first {
            throw Unanswered(text: "\(path): \(diagnostic.message)")
        }
        var side = bytes
        // Spaces in place of code: what is left keeps its line and column.
        func blank(_ range: Range<AbsolutePosition>) {
            for index in range.lowerBound.utf8Offset..<range.upperBound.utf8Offset
            where side[index] != UInt8(ascii: "\n") {
                side[index] = UInt8(ascii: " ")
            }
        }
        for (clause, state) in regions where !clause.asksForFeatures {
            let start = clause.poundKeyword.positionAfterSkippingLeadingTrivia
            let head =
                clause.condition?.endPositionBeforeTrailingTrivia
                ?? clause.poundKeyword.endPositionBeforeTrailingTrivia
            blank(start..<(state == .active ? head : clause.endPosition))
            if let end = clause.parent?.parent?.as(IfConfigDeclSyntax.self)?.poundEndif {
                blank(end.positionAfterSkippingLeadingTrivia..<end.endPositionBeforeTrailingTrivia)
            }
        }
        let active = Set(regions.filter { $0.state == .active }.map(\.ifClause.id))
        return (side, clauses.map { active.contains($0.id) })
    }
}

extension IfConfigClauseSyntax {
    /// Whether the `#if` of the clause depends on features of the compiler. It stays as it is: the
    /// compiler has these features here as well, and knows that code beside Embedded Swift is exempt
    /// from the rules of Embedded Swift.
    fileprivate var asksForFeatures: Bool {
        let clauses = parent?.as(IfConfigClauseListSyntax.self) ?? []
        return clauses.contains { $0.condition?.description.contains("hasFeature") ?? false }
    }
}

private final class ClauseCollector: SyntaxVisitor {
    var clauses: [IfConfigClauseSyntax] = []

    override func visit(_ node: IfConfigClauseSyntax) -> SyntaxVisitorContinueKind {
        clauses.append(node)
        return .visitChildren
    }
}

/// A condition without an answer, and its file.
struct Unanswered: Error, CustomStringConvertible {
    let text: String

    var description: String { text }
}

extension String {
    fileprivate var trimmed: String {
        String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}
