// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [.treatAllWarnings(as: .error)]

let package = Package(
    name: "benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "simple-memo", path: ".."),
        // What a cached read by hand uses.
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.0"),
        // Peers of Store.
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/OpenCombine/OpenCombine", from: "0.14.0"),
    ],
    targets: [
        .target(name: "Measurement", swiftSettings: strict),
        .target(name: "AllocatedBytes"),
        .executableTarget(
            name: "OutboxBenchmark",
            dependencies: [
                "Measurement",
                .product(name: "Outbox", package: "simple-memo"),
                .product(name: "OutboxCore", package: "simple-memo"),
                .product(name: "OutboxFiles", package: "simple-memo"),
                .product(name: "OutboxSQLite", package: "simple-memo"),
            ],
            swiftSettings: strict
        ),
        .executableTarget(
            name: "OfflineBenchmark",
            dependencies: [
                "Measurement",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "OfflineFirst", package: "simple-memo"),
                .product(name: "Outbox", package: "simple-memo"),
                .product(name: "OutboxCore", package: "simple-memo"),
                .product(name: "OutboxSQLite", package: "simple-memo"),
                .product(name: "StoreCore", package: "simple-memo"),
                .product(name: "SyncCore", package: "simple-memo"),
            ],
            swiftSettings: strict
        ),
        .executableTarget(
            name: "StoreBenchmark",
            dependencies: [
                "AllocatedBytes", "Measurement",
                .product(name: "Store", package: "simple-memo"),
                .product(name: "HashTreeCollections", package: "swift-collections"),
                .product(name: "OpenCombine", package: "OpenCombine"),
            ],
            swiftSettings: strict
        ),
    ],
    swiftLanguageModes: [.v6]
)
