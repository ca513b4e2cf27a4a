import SwiftIfConfig
import SwiftSyntax

/// A system as `#if` sees it.
struct System: BuildConfiguration, Sendable {
    /// The word for the system in tables and folders.
    let name: String
    private let operatingSystem: String
    private let modules: Set<String>
    private let features: Set<String>
    private let architecture: String

    /// Whether the system's C library is Darwin's, which Foundation must not hide.
    var hasDarwin: Bool { modules.contains("Darwin") }

    private init(
        _ name: String,
        operatingSystem: String,
        modules: Set<String>,
        features: Set<String> = [],
        architecture: String = "arm64"
    ) {
        self.name = name
        self.operatingSystem = operatingSystem
        self.modules = modules
        self.features = features
        self.architecture = architecture
    }

    /// The modules that Apple's systems have, of those that the sources ask for.
    private static let apple: Set = [
        "Darwin", "Dispatch", "Foundation", "Network", "Security", "os",
    ]

    static let linux = System(
        "linux",
        operatingSystem: "Linux",
        modules: [
            "Dispatch", "Foundation", "FoundationEssentials", "FoundationNetworking", "Glibc",
        ],
        architecture: "x86_64"
    )
    /// The C library of Linux, with those of Apple's modules whose stand-ins do something, and without
    /// what Linux has in their place: the side that is tried here.
    static let tried = System(
        "tried",
        operatingSystem: "none",
        modules: linux.modules.union(["Network", "Security", "os"]),
        architecture: "x86_64"
    )
    static let macOS = System("macos", operatingSystem: "macOS", modules: apple)
    static let iOS = System("ios", operatingSystem: "iOS", modules: apple)
    /// The web app: Embedded Swift for wasm32, without a system.
    static let web = System(
        "web",
        operatingSystem: "none",
        modules: [],
        features: ["Embedded"],
        architecture: "wasm32"
    )
    /// A Linux with another C library, for which nothing here compiles the sources.
    private static let elsewhere: Set = ["Musl"]

    /// The systems that a table of conditions has, in its order.
    static let all = [linux, macOS, iOS, web]
    /// The systems whose sides are compiled here.
    static let written = [macOS, iOS, tried]

    func canImport(
        importPath: [(TokenSyntax, String)],
        version: CanImportVersion
    ) throws -> Bool {
        let module = importPath.map(\.1).joined(separator: ".")
        guard
            Self.all.contains(where: { $0.modules.contains(module) })
                || Self.elsewhere.contains(module)
        else { throw UnknownCondition(text: "canImport(\(module))") }
        return modules.contains(module)
    }

    func hasFeature(name: String) -> Bool { features.contains(name) }

    func isActiveTargetOS(name: String) -> Bool { name == operatingSystem }

    func isActiveTargetArchitecture(name: String) -> Bool { name == architecture }

    func isActiveTargetEnvironment(name: String) -> Bool { false }

    func isActiveTargetRuntime(name: String) throws -> Bool {
        throw UnknownCondition(text: "_runtime(\(name))")
    }

    func isActiveTargetPointerAuthentication(name: String) throws -> Bool {
        throw UnknownCondition(text: "_ptrauth(\(name))")
    }

    func isActiveTargetObjectFormat(name: String) throws -> Bool {
        throw UnknownCondition(text: "objectFormat(\(name))")
    }

    func isCustomConditionSet(name: String) throws -> Bool {
        throw UnknownCondition(text: name)
    }

    func hasAttribute(name: String) throws -> Bool {
        throw UnknownCondition(text: "hasAttribute(\(name))")
    }

    var targetPointerBitWidth: Int { 64 }
    var targetAtomicBitWidths: [Int] { [8, 16, 32, 64] }
    var endianness: Endianness { .little }
    var languageVersion: VersionTuple { VersionTuple(6) }
    var compilerVersion: VersionTuple { VersionTuple(6, 3) }
}

/// A condition that ``System`` cannot answer: its answer is to be written there.
struct UnknownCondition: Error, CustomStringConvertible {
    let text: String

    var description: String { "Apple/Checker does not know the condition \(text)" }
}
