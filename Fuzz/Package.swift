// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [.treatAllWarnings(as: .error)]

// Built by scripts/fuzz, which instruments what is fuzzed too, and lets it be imported with what is
// internal to it.
let package = Package(
    name: "fuzz",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "simple-memo", path: ".."),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.0"),
        .package(url: "https://github.com/apple/swift-http-structured-headers", from: "1.7.0"),
    ],
    targets: [
        // Comes with the toolchain: -sanitize=fuzzer links it.
        .systemLibrary(name: "CLibFuzzer"),
        .executableTarget(
            name: "Fuzzer",
            dependencies: [
                "CLibFuzzer",
                .product(name: "Outbox", package: "simple-memo"),
                .product(name: "OutboxCore", package: "simple-memo"),
                .product(name: "OutboxFiles", package: "simple-memo"),
                .product(name: "OutboxTesting", package: "simple-memo"),
                .product(name: "RelayServer", package: "simple-memo"),
                .product(name: "WireCore", package: "simple-memo"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(
                    name: "RawStructuredFieldValues",
                    package: "swift-http-structured-headers"
                ),
            ],
            swiftSettings: strict,
            // GNU gold fails on libFuzzer's own main function, which is not used.
            linkerSettings: [.unsafeFlags(["-use-ld=lld"], .when(platforms: [.linux]))]
        ),
    ],
    swiftLanguageModes: [.v6]
)
