// swift-tools-version: 6.2
import PackageDescription

// Run it under the thread sanitizer:
//     swift run --package-path Stress --sanitize=thread StoreStress --seconds 60
let package = Package(
    name: "stress",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "simple-memo", path: "..")],
    targets: [
        // SeededRandom.swift is a link to the file of OutboxTesting, which would bring BoringSSL along.
        .executableTarget(
            name: "StoreStress",
            dependencies: [
                .product(name: "Store", package: "simple-memo"),
                .product(name: "StoreCore", package: "simple-memo"),
            ],
            swiftSettings: [.treatAllWarnings(as: .error)]
        )
    ],
    swiftLanguageModes: [.v6]
)
