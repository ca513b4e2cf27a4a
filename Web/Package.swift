// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "web",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "simple-memo", path: "..")],
    targets: [
        .executableTarget(
            name: "CoreVectors",
            dependencies: [.product(name: "OutboxCore", package: "simple-memo")],
            swiftSettings: [.treatAllWarnings(as: .error)]
        ),
        // The app: pure, events in and commands out. Compiles natively too, for its tests.
        .target(
            name: "WebClient",
            dependencies: [
                .product(name: "MemoCore", package: "simple-memo"),
                .product(name: "OutboxCore", package: "simple-memo"),
                .product(name: "StoreCore", package: "simple-memo"),
            ],
            swiftSettings: [.treatAllWarnings(as: .error)]
        ),
        // The module that the browser loads.
        .executableTarget(
            name: "WebModule",
            dependencies: ["WebClient"],
            swiftSettings: [
                .enableExperimentalFeature("Extern"), .treatAllWarnings(as: .error),
            ]
        ),
        // Writes the texts into files, one for each language, which the build puts beside the
        // module.
        .executableTarget(
            name: "WordFiles",
            dependencies: [.product(name: "MemoCore", package: "simple-memo")],
            swiftSettings: [.treatAllWarnings(as: .error)]
        ),
        // SeededRandom.swift is a link to the file of OutboxTesting, which would bring BoringSSL along.
        .testTarget(
            name: "WebClientTests",
            dependencies: [
                "WebClient", .product(name: "MemoCore", package: "simple-memo"),
                .product(name: "OutboxCore", package: "simple-memo"),
            ],
            swiftSettings: [.treatAllWarnings(as: .error)]
        ),
    ],
    swiftLanguageModes: [.v6]
)
