// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0335-existential-any.md
    .enableUpcomingFeature("ExistentialAny"),
    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0444-member-import-visibility.md
    .enableUpcomingFeature("MemberImportVisibility"),
    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0409-access-level-on-imports.md
    .enableUpcomingFeature("InternalImportsByDefault"),
    .treatAllWarnings(as: .error),
]

/// What the pure cores may use: everything that Embedded Swift for wasm32 has.
let pure: [SwiftSetting] = strict + [.treatWarning("EmbeddedRestrictions", as: .error)]

let package = Package(
    name: "simple-memo",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [
        .library(name: "OutboxCore", targets: ["OutboxCore"]),
        .library(name: "Outbox", targets: ["Outbox"]),
        .library(name: "OutboxFiles", targets: ["OutboxFiles"]),
        .library(name: "OutboxSQLite", targets: ["OutboxSQLite", "SQLite"]),
        .library(name: "OutboxLogging", targets: ["OutboxLogging"]),
        .library(name: "OutboxSecretService", targets: ["OutboxSecretService"]),
        .library(name: "OutboxTesting", targets: ["OutboxTesting"]),
        .library(name: "Connectivity", targets: ["Connectivity"]),
        .library(name: "StoreCore", targets: ["StoreCore"]),
        .library(name: "Store", targets: ["Store", "StoreCore"]),
        .library(name: "MemoCore", targets: ["MemoCore"]),
        .library(name: "RelayServer", targets: ["RelayServer"]),
        .executable(name: "memo", targets: ["memo"]),
        .executable(name: "memo-agent", targets: ["memo-agent"]),
        .executable(name: "memo-relay", targets: ["memo-relay"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.4.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.80.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        // Pure.
        .target(name: "OutboxCore", swiftSettings: pure),
        .target(name: "StoreCore", swiftSettings: pure),
        .target(name: "MemoCore", dependencies: ["OutboxCore"], swiftSettings: pure),

        // Shells.
        .systemLibrary(
            name: "CSQLite",
            pkgConfig: "sqlite3",
            providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]
        ),
        .target(name: "DurableFiles", swiftSettings: strict),
        .target(name: "SQLite", dependencies: ["CSQLite", "DurableFiles"], swiftSettings: strict),
        .target(
            name: "Outbox",
            dependencies: [
                "DurableFiles", "OutboxCore", .product(name: "Crypto", package: "swift-crypto"),
            ],
            swiftSettings: strict
        ),
        .target(
            name: "OutboxFiles",
            dependencies: [
                "Outbox", "OutboxCore", .product(name: "Crypto", package: "swift-crypto"),
            ],
            swiftSettings: strict
        ),
        .target(name: "OutboxSQLite", dependencies: ["Outbox", "SQLite"], swiftSettings: strict),
        .target(
            name: "OutboxLogging",
            dependencies: ["Outbox", .product(name: "Logging", package: "swift-log")],
            swiftSettings: strict
        ),
        .target(
            name: "OutboxTesting",
            dependencies: ["Outbox", "OutboxFiles"],
            swiftSettings: strict
        ),
        // libsecret, found while running: nothing to install for building.
        .target(name: "LibsecretShims"),
        .target(
            name: "OutboxSecretService",
            dependencies: ["LibsecretShims", "Outbox", "OutboxCore"],
            swiftSettings: strict
        ),
        .target(name: "Connectivity", swiftSettings: strict),
        .target(name: "Store", dependencies: ["StoreCore"], swiftSettings: strict),

        // Product: the device.
        .target(name: "RelayAPI", dependencies: ["OutboxCore"], swiftSettings: strict),
        .target(
            name: "MemoKit",
            dependencies: ["MemoCore", "Outbox", "OutboxSQLite", "RelayAPI", "SQLite"],
            swiftSettings: strict
        ),
        .target(
            name: "MemoDelivery",
            dependencies: [
                "Connectivity", "MemoCore", "MemoKit", "OutboxLogging",
                .product(name: "Logging", package: "swift-log"),
                // URLSession on Apple systems, libcurl elsewhere.
                .target(name: "CurlShims", condition: .when(platforms: [.linux])),
                .target(name: "CLibcurl", condition: .when(platforms: [.linux])),
                .target(name: "OutboxSecretService", condition: .when(platforms: [.linux])),
            ],
            swiftSettings: strict
        ),
        .systemLibrary(
            name: "CLibedit",
            pkgConfig: "libedit",
            providers: [.apt(["libedit-dev"])]
        ),
        .target(
            name: "MemoTerminal",
            dependencies: ["MemoCore", "Outbox", "OutboxCore", "MemoKit", "EditLine"],
            swiftSettings: strict
        ),
        .target(name: "EditLine", dependencies: ["CLibedit"]),
        .executableTarget(
            name: "memo",
            dependencies: [
                "MemoCore", "Outbox", "OutboxCore", "MemoKit", "MemoTerminal",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: strict
        ),
        .executableTarget(
            name: "memo-agent",
            dependencies: [
                "MemoCore", "MemoDelivery", "MemoKit",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: strict
        ),

        // Product: the relay.
        .systemLibrary(
            name: "CLibcurl",
            pkgConfig: "libcurl",
            providers: [.apt(["libcurl4-openssl-dev"])]
        ),
        .target(name: "CurlShims", dependencies: ["CLibcurl"]),
        .target(
            name: "RelayServer",
            dependencies: [
                "CLibcurl", "CurlShims", "DurableFiles", "MemoCore", "Outbox", "OutboxCore",
                "OutboxLogging", "OutboxSQLite", "RelayAPI", "SQLite",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            swiftSettings: strict
        ),
        .executableTarget(
            name: "memo-relay",
            dependencies: [
                "Outbox", "OutboxCore", "RelayServer",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: strict
        ),

        // Tests.
        // A folder of a test's own.
        .target(
            name: "TemporaryFolders",
            path: "Tests/TemporaryFolders",
            swiftSettings: strict
        ),
        .testTarget(
            name: "OutboxCoreTests",
            dependencies: ["OutboxCore", "OutboxTesting"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "StoreCoreTests",
            dependencies: ["OutboxTesting", "StoreCore"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "StoreTests",
            dependencies: ["Store", "StoreCore"],
            swiftSettings: strict
        ),
        // What the connectivity tests start in a network namespace.
        .executableTarget(
            name: "NetworkPrinter",
            dependencies: ["Connectivity"],
            path: "Tests/NetworkPrinter",
            swiftSettings: strict
        ),
        .testTarget(
            name: "ConnectivityTests",
            dependencies: ["Connectivity", "NetworkPrinter", "OutboxTesting", "TemporaryFolders"],
            exclude: ["Recorded"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "MemoCoreTests",
            dependencies: ["MemoCore", "OutboxCore", "OutboxTesting"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "OutboxTests",
            dependencies: ["Outbox", "OutboxCore", "OutboxTesting", "TemporaryFolders"],
            swiftSettings: strict
        ),
        // What the kill tests kill.
        .executableTarget(
            name: "OutboxWriter",
            dependencies: ["Outbox", "OutboxCore", "OutboxFiles", "OutboxSQLite"],
            path: "Tests/OutboxWriter",
            swiftSettings: strict
        ),
        .testTarget(
            name: "OutboxFilesTests",
            dependencies: [
                "Outbox", "OutboxCore", "OutboxFiles", "OutboxLedger", "OutboxSQLite",
                "OutboxTesting", "OutboxWriter", "TemporaryFolders",
                .product(name: "Crypto", package: "swift-crypto"),
            ],
            exclude: ["Golden"],
            swiftSettings: strict
        ),
        // What the storages' proofs share: promises, and a script that makes and breaks them.
        .target(
            name: "OutboxLedger",
            dependencies: ["Outbox", "OutboxCore", "OutboxTesting"],
            path: "Tests/OutboxLedger",
            swiftSettings: strict
        ),
        // Sees what SQLite asks of its files.
        .target(name: "WatchedVFS", dependencies: ["CSQLite"], path: "Tests/WatchedVFS"),
        // Devices, network, relay, provider and inbox in one process: scripts/simulate runs it, too.
        .target(
            name: "OutboxSimulation",
            dependencies: [
                "MemoDelivery", "Outbox", "OutboxCore", "OutboxFiles", "OutboxTesting", "RelayAPI",
                "RelayServer", .product(name: "Logging", package: "swift-log"),
            ],
            path: "Tests/OutboxSimulation",
            swiftSettings: strict
        ),
        .executableTarget(
            name: "simulate",
            dependencies: [
                "OutboxSimulation",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Tests/Simulate",
            swiftSettings: strict
        ),
        .testTarget(
            name: "OutboxSimulationTests",
            dependencies: [
                "Outbox", "OutboxCore", "OutboxSimulation", "OutboxSQLite", "OutboxTesting",
                "RelayAPI", "RelayServer", "SQLite", "TemporaryFolders", "simulate",
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "OutboxSQLiteTests",
            dependencies: [
                "CSQLite", "Outbox", "OutboxCore", "OutboxLedger", "OutboxSQLite",
                "OutboxTesting", "SQLite", "TemporaryFolders", "WatchedVFS",
                .product(name: "Crypto", package: "swift-crypto"),
            ],
            exclude: ["Golden"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "OutboxSecretServiceTests",
            dependencies: [
                "Outbox", "OutboxCore", "OutboxSecretService",
                .product(name: "Crypto", package: "swift-crypto"),
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "MemoKitTests",
            dependencies: [
                "MemoCore", "MemoKit", "Outbox", "OutboxCore", "OutboxSQLite", "RelayAPI",
                "SQLite", "TemporaryFolders",
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "MemoTerminalTests",
            dependencies: [
                "EditLine", "MemoCore", "MemoKit", "MemoTerminal", "OutboxCore", "OutboxTesting",
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "MemoDeliveryTests",
            dependencies: [
                "MemoCore", "MemoDelivery", "MemoKit", "Outbox", "OutboxCore", "TemporaryFolders",
                "memo-agent",
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "RelayServerTests",
            dependencies: [
                "Outbox", "OutboxCore", "OutboxSQLite", "OutboxTesting", "RelayAPI",
                "RelayServer", "SQLite", "TemporaryFolders", "memo-relay",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdTesting", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
            ],
            swiftSettings: strict
        ),
    ],
    swiftLanguageModes: [.v6]
)
