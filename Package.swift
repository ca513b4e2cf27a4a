// swift-tools-version: 6.2
import PackageDescription

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
        .library(name: "ConnectivityCore", targets: ["ConnectivityCore"]),
        .library(name: "Connectivity", targets: ["Connectivity", "ConnectivityCore"]),
        .library(name: "StoreCore", targets: ["StoreCore"]),
        .library(name: "Store", targets: ["Store", "StoreCore"]),
        .library(name: "SyncCore", targets: ["SyncCore"]),
        .library(name: "OfflineFirst", targets: ["OfflineFirst"]),
        .library(name: "OfflineFirstTesting", targets: ["OfflineFirstTesting"]),
        .library(name: "SyncMessages", targets: ["SyncMessages"]),
        .library(name: "WireCore", targets: ["WireCore"]),
        .library(name: "MemoTexts", targets: ["MemoTexts"]),
        .library(name: "MemoCore", targets: ["MemoCore"]),
        .library(name: "MemoSyncCore", targets: ["MemoSyncCore"]),
        .library(name: "MemoKit", targets: ["MemoKit"]),
        .library(name: "MemoCourier", targets: ["MemoCourier"]),
        .library(name: "MemoSharing", targets: ["MemoSharing"]),
        .library(name: "WebClient", targets: ["WebClient"]),
        .library(name: "RelayServer", targets: ["RelayServer", "RelayRules", "RelaySQLite"]),
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
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.34.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.2"),
        // Without its traits: they bring all of Foundation, of which the relay uses the essentials.
        .package(
            url: "https://github.com/hummingbird-project/hummingbird",
            from: "2.28.0",
            traits: []
        ),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        // For tests only: a second reader of structured fields.
        .package(url: "https://github.com/apple/swift-http-structured-headers", from: "1.7.0"),
    ],
    targets: [
        // Pure.
        .target(name: "OutboxCore"),
        .target(name: "StoreCore"),
        .target(name: "ConnectivityCore"),
        .target(name: "SyncCore", dependencies: ["OutboxCore", "StoreCore"]),
        .target(name: "WireCore", dependencies: ["OutboxCore"]),
        .target(name: "MemoTexts", dependencies: ["WireCore"]),
        .target(name: "MemoCore", dependencies: ["MemoTexts", "OutboxCore", "WireCore"]),
        .target(
            name: "MemoSyncCore",
            dependencies: ["MemoCore", "OutboxCore", "SyncCore", "WireCore"]
        ),

        // Shells.
        .target(name: "LibC"),
        .target(name: "Essentials"),
        .systemLibrary(
            name: "CSQLite",
            pkgConfig: "sqlite3",
            providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]
        ),
        .target(name: "DurableFiles", dependencies: ["LibC"]),
        .target(name: "SQLite", dependencies: ["LibC", "CSQLite", "DurableFiles"]),
        .target(
            name: "Outbox",
            dependencies: [
                "LibC", "DurableFiles", "OutboxCore",
                // CryptoKit's interface on Apple systems; BoringSSL, its C target, elsewhere.
                .product(name: "Crypto", package: "swift-crypto"),
            ]
        ),
        .target(
            name: "OutboxFiles",
            dependencies: [
                "LibC", "Outbox", "OutboxCore", .product(name: "Crypto", package: "swift-crypto"),
            ]
        ),
        .target(name: "OutboxSQLite", dependencies: ["Outbox", "SQLite"]),
        .target(
            name: "OutboxLogging",
            dependencies: ["Outbox", .product(name: "Logging", package: "swift-log")]
        ),
        // A variable of Swift's runtime, bound when linked.
        .target(name: "ConcurrencyShims"),
        .target(
            name: "OutboxTesting",
            dependencies: ["ConcurrencyShims", "LibC", "Outbox", "OutboxFiles"]
        ),
        // libsecret, found while running: nothing to install for building.
        .target(name: "LibsecretShims"),
        .target(
            name: "OutboxSecretService",
            dependencies: ["LibC", "LibsecretShims", "Outbox", "OutboxCore"]
        ),
        // GLib's GIO, found while running: nothing to install for building.
        .target(name: "GIOShims"),
        .target(name: "Connectivity", dependencies: ["ConnectivityCore", "LibC"]),
        .target(name: "Store", dependencies: ["LibC", "StoreCore"]),
        .target(
            name: "OfflineFirst",
            dependencies: [
                "Connectivity", "ConnectivityCore", "Essentials", "Outbox", "OutboxCore",
                "OutboxSQLite", "SQLite", "StoreCore", "SyncCore",
                .product(name: "Crypto", package: "swift-crypto"),
            ]
        ),
        // The bodies of a sync's three calls as JSON, for a device and for a server in Swift.
        .target(name: "SyncMessages", dependencies: ["OutboxCore", "SyncCore"]),
        .target(
            name: "OfflineFirstTesting",
            dependencies: [
                "OfflineFirst", "Outbox", "OutboxCore", "OutboxSQLite", "OutboxTesting", "SQLite",
                "SyncCore",
            ]
        ),

        // Product: the device.
        .target(name: "RelayAPI", dependencies: ["Essentials", "MemoCore", "OutboxCore"]),
        .target(
            name: "MemoKit",
            dependencies: [
                "LibC", "MemoCore", "MemoTexts", "Outbox", "OutboxSQLite", "SQLite", "WireCore",
            ]
        ),
        // What a box needs where its memos are delivered by a program of its own.
        .target(
            name: "MemoProcesses",
            dependencies: ["LibC", "MemoCore", "MemoKit", "MemoTexts", "Outbox", "OutboxCore"]
        ),
        // One round of delivery, and news: for memo-agent, and for an app of one process.
        .target(
            name: "MemoCourier",
            dependencies: [
                "Connectivity", "ConnectivityCore", "Essentials", "LibC", "MemoCore", "MemoKit",
                "MemoTexts", "Outbox", "OutboxCore", "RelayAPI", "WireCore",
                .product(name: "Logging", package: "swift-log"),
                // URLSession on Apple systems, libcurl elsewhere.
                .target(name: "Curl", condition: .when(platforms: [.linux])),
                .target(name: "CLibcurl", condition: .when(platforms: [.linux])),
            ]
        ),
        // The settings, devices and statuses that all devices of a person share.
        .target(
            name: "MemoSharing",
            dependencies: [
                "LibC", "MemoCore", "MemoCourier", "MemoKit", "MemoSyncCore", "MemoTexts",
                "OfflineFirst", "Outbox", "OutboxCore", "OutboxSQLite", "SQLite", "SyncCore",
                "WireCore",
            ]
        ),
        .target(
            name: "MemoDelivery",
            dependencies: [
                "DurableFiles", "LibC", "MemoCore", "MemoCourier", "MemoKit", "MemoProcesses",
                "MemoSharing", "MemoTexts", "Outbox", "OutboxCore", "OutboxLogging", "OutboxSQLite",
                .product(name: "Logging", package: "swift-log"),
                .target(name: "GIOShims", condition: .when(platforms: [.linux])),
                .target(name: "OutboxSecretService", condition: .when(platforms: [.linux])),
            ]
        ),
        .systemLibrary(
            name: "CLibedit",
            pkgConfig: "libedit",
            providers: [.apt(["libedit-dev"])]
        ),
        .target(
            name: "MemoTerminal",
            dependencies: [
                "LibC", "MemoCore", "MemoTexts", "Outbox", "OutboxCore", "MemoKit", "MemoProcesses",
                "EditLine", "WireCore",
            ]
        ),
        .target(name: "EditLine", dependencies: ["CLibedit"]),
        // What memo and memo-agent say about their command lines.
        .target(
            name: "MemoCommandLine",
            dependencies: [
                "LibC", "MemoKit", "MemoProcesses", "MemoTexts",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]
        ),
        .executableTarget(
            name: "memo",
            dependencies: [
                "MemoCommandLine", "MemoCore", "MemoTexts", "Outbox", "OutboxCore", "MemoKit",
                "MemoProcesses", "MemoTerminal", "WireCore",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]
        ),
        .executableTarget(
            name: "memo-agent",
            dependencies: [
                "LibC", "MemoCommandLine", "MemoCore", "MemoCourier", "MemoDelivery", "MemoKit",
                "MemoProcesses", "MemoSharing", "MemoSyncCore", "MemoTexts", "OutboxCore",
                "WireCore",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]
        ),

        // Product: the web app. Web/ compiles it for wasm32.
        .target(
            name: "WebClient",
            dependencies: [
                "ConnectivityCore", "MemoCore", "MemoSyncCore", "MemoTexts", "OutboxCore",
                "StoreCore",
                "SyncCore", "WireCore",
            ]
        ),
        // Writes the texts into files, one for each language, which lie beside the module.
        .executableTarget(name: "WordFiles", dependencies: ["MemoTexts", "WebClient"]),

        // Product: the relay.
        .systemLibrary(
            name: "CLibcurl",
            pkgConfig: "libcurl",
            providers: [.apt(["libcurl4-openssl-dev"])]
        ),
        .systemLibrary(name: "CMalloc"),
        .target(name: "CurlShims", dependencies: ["CLibcurl"]),
        .target(name: "Curl", dependencies: ["CurlShims"]),
        // The limits and the fates: what a store decides in its transactions.
        .target(
            name: "RelayRules",
            dependencies: ["LibC", "MemoCore", "OutboxCore", "RelayAPI", "SyncCore"]
        ),
        // libpq, found while running: nothing to install for building.
        .target(name: "LibpqShims"),
        .target(name: "PostgreSQL", dependencies: ["LibC", "LibpqShims"]),
        // The promises of a store are here; each store is a target of its own.
        .target(
            name: "RelayServer",
            dependencies: [
                "LibC", "CLibcurl", "CMalloc", "Curl", "DurableFiles", "Essentials", "MemoCore",
                "MemoTexts", "Outbox", "OutboxCore", "OutboxLogging", "RelayAPI", "RelayRules",
                "WireCore",
                .product(name: "Crypto", package: "swift-crypto"),
                // RSA, for the signatures of mails.
                .product(name: "CryptoExtras", package: "swift-crypto"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras"),
                .product(name: "NIOPosix", package: "swift-nio"),
                // TLS with a mail server.
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "NIOTLS", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ]
        ),
        .target(
            name: "RelaySQLite",
            dependencies: [
                "DurableFiles", "LibC", "MemoTexts", "Outbox", "OutboxCore", "OutboxSQLite",
                "RelayAPI", "RelayRules", "RelayServer", "SQLite",
            ]
        ),
        .target(
            name: "RelayPostgres",
            dependencies: [
                "Essentials", "LibC", "MemoTexts", "Outbox", "OutboxCore", "PostgreSQL", "RelayAPI",
                "RelayRules", "RelayServer",
            ]
        ),
        // Judges the DNS records of a domain that sends mails. Pure.
        .target(name: "MailDomain", dependencies: ["Essentials", "LibC", "RelayRules"]),
        .systemLibrary(
            name: "CCares",
            pkgConfig: "libcares",
            providers: [.apt(["libc-ares-dev"]), .brew(["c-ares"])]
        ),
        .target(name: "Cares", dependencies: ["CCares", "LibC", "MailDomain"]),
        .executableTarget(
            name: "memo-relay",
            dependencies: [
                "Cares", "Essentials", "LibC", "MailDomain", "MemoCore", "Outbox", "OutboxCore",
                "RelayAPI", "RelayPostgres", "RelayRules", "RelaySQLite", "RelayServer",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
            ]
        ),

        // Examples.
        // A restaurant's kitchen in the terminal: how to use Store.
        .executableTarget(name: "Kitchen", dependencies: ["Store"], path: "Examples/Kitchen"),
        // Tickets for a printer that is not always on: Outbox for operations other than memos.
        .executableTarget(
            name: "Tickets",
            dependencies: ["Outbox", "OutboxCore", "OutboxSQLite"],
            path: "Examples/Tickets"
        ),
        // A shopping list of several devices and their server: OfflineFirst and its SyncedRecords.
        .executableTarget(
            name: "Groceries",
            dependencies: [
                "OfflineFirst", "Outbox", "OutboxCore", "OutboxSQLite", "SQLite", "SyncCore",
                "SyncMessages",
                .target(name: "CLibcurl", condition: .when(platforms: [.linux])),
                .target(name: "Curl", condition: .when(platforms: [.linux])),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
            ],
            path: "Examples/Groceries",
            exclude: ["README.md"]
        ),

        // Tests.
        // The code in the articles and in docs/libraries.md.
        .testTarget(
            name: "ArticleTests",
            dependencies: [
                "Connectivity", "ConnectivityCore", "MemoCourier", "MemoKit", "MemoTexts",
                "OfflineFirst", "OfflineFirstTesting", "Outbox", "OutboxCore", "OutboxFiles",
                "OutboxLogging",
                "OutboxSQLite", "OutboxSecretService", "OutboxTesting", "SQLite", "Store",
                "StoreCore", "SyncCore", "SyncMessages", "TemporaryFolders", "Waiting",
                .product(name: "Logging", package: "swift-log"),
            ]
        ),
        .testTarget(
            name: "GroceriesTests",
            dependencies: [
                "Groceries", "KilledProcess", "OutboxTesting", "TemporaryFolders", "TestSeeds",
                "Waiting",
            ]
        ),
        .testTarget(name: "KitchenTests", dependencies: ["Kitchen", "Store"]),
        .testTarget(name: "TicketsTests", dependencies: ["Outbox", "Tickets"]),
        .testTarget(
            name: "WebClientTests",
            dependencies: [
                "MemoCore", "MemoCourier", "MemoDelivery", "MemoKit", "MemoTexts", "Outbox",
                "MemoSyncCore", "OutboxCore", "OutboxTesting", "SimulatedBrowser", "StoreCore",
                "SyncCore", "TemporaryFolders", "TestSeeds", "WebClient", "WireCore",
                .product(name: "Logging", package: "swift-log"),
            ]
        ),
        // A browser in memory, whose pages and worker run the web app.
        .target(
            name: "SimulatedBrowser",
            dependencies: [
                "MemoTexts", "OutboxCore", "OutboxTesting", "RelayAPI", "RelayRules", "WebClient",
                "WireCore",
            ],
            path: "Tests/Support/SimulatedBrowser"
        ),
        // The seeds of tests that draw at random: Tests/seeds.txt.
        .target(name: "TestSeeds", path: "Tests/Support/TestSeeds"),
        // How tests wait for a condition.
        .target(name: "Waiting", path: "Tests/Support/Waiting"),
        // A folder of a test's own, and the share of the places that a test tries.
        .target(
            name: "TemporaryFolders",
            dependencies: ["TestSeeds"],
            path: "Tests/Support/TemporaryFolders"
        ),
        .testTarget(
            name: "OutboxCoreTests",
            dependencies: ["OutboxCore", "OutboxTesting", "TestSeeds"]
        ),
        .testTarget(
            name: "StoreCoreTests",
            dependencies: ["OutboxTesting", "StoreCore"]
        ),
        .testTarget(
            name: "StoreTests",
            dependencies: ["Store", "StoreCore", "Waiting"]
        ),
        // Starts a program of this package, and kills it.
        .target(name: "KilledProcess", path: "Tests/Support/KilledProcess"),
        // What the kill tests of the cache and of the records kill.
        .executableTarget(
            name: "OfflineWriter",
            dependencies: [
                "LibC", "OfflineFirst", "Outbox", "OutboxCore", "OutboxSQLite", "SyncCore",
            ],
            path: "Tests/Support/OfflineWriter"
        ),
        .testTarget(
            name: "OfflineFirstTests",
            dependencies: [
                "ConnectivityCore", "KilledProcess", "OfflineFirst", "OfflineFirstTesting",
                "OfflineWriter", "Outbox", "OutboxCore", "OutboxSQLite", "OutboxTesting", "SQLite",
                "SyncCore", "SyncWorlds", "TemporaryFolders", "TestSeeds", "Waiting",
                "WatchedFiles",
            ],
            exclude: ["Recorded"]
        ),
        // Devices, network and a naive server in one value, with the checkers: scripts/explore runs it.
        .target(
            name: "SyncWorlds",
            dependencies: [
                "ConnectivityCore", "OfflineFirst", "OfflineFirstTesting", "Outbox", "OutboxCore",
                "OutboxSQLite", "OutboxTesting", "SQLite", "StoreCore", "SyncCore", "WatchedFiles",
            ],
            path: "Tests/Support/SyncWorlds"
        ),
        .executableTarget(
            name: "explore-sync",
            dependencies: [
                "OfflineFirstTesting", "SyncWorlds",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Tests/Support/ExploreSync"
        ),
        .testTarget(
            name: "SyncCoreTests",
            dependencies: [
                "OfflineFirstTesting", "OutboxCore", "OutboxTesting", "StoreCore", "SyncCore",
                "SyncWorlds", "TestSeeds",
            ]
        ),
        .testTarget(
            name: "SyncMessagesTests",
            dependencies: ["OutboxCore", "SyncCore", "SyncMessages"]
        ),
        // What the connectivity tests start in a network namespace.
        .executableTarget(
            name: "NetworkPrinter",
            dependencies: ["Connectivity", "ConnectivityCore", "LibC"],
            path: "Tests/Support/NetworkPrinter"
        ),
        .testTarget(name: "ConnectivityCoreTests", dependencies: ["ConnectivityCore"]),
        .testTarget(
            name: "ConnectivityTests",
            dependencies: [
                "Connectivity", "ConnectivityCore", "NetworkPrinter", "OutboxTesting",
                "TemporaryFolders", "TestSeeds", "Waiting",
            ],
            exclude: ["Recorded"]
        ),
        .testTarget(
            name: "WireCoreTests",
            dependencies: [
                "OutboxCore", "OutboxTesting", "TestSeeds", "WireCore",
                .product(
                    name: "RawStructuredFieldValues",
                    package: "swift-http-structured-headers"
                ),
            ]
        ),
        .testTarget(name: "MemoTextsTests", dependencies: ["MemoTexts", "WireCore"]),
        .testTarget(
            name: "MemoCoreTests",
            dependencies: [
                "MemoCore", "MemoTexts", "OutboxCore", "OutboxTesting", "TestSeeds", "WireCore",
            ]
        ),
        .testTarget(
            name: "MemoSyncCoreTests",
            dependencies: ["MemoCore", "MemoSyncCore", "OutboxCore", "SyncCore", "WireCore"]
        ),
        .testTarget(
            name: "OutboxTests",
            dependencies: [
                "Outbox", "OutboxCore", "OutboxTesting", "TemporaryFolders", "TestSeeds", "Waiting",
            ]
        ),
        // What the kill tests kill.
        .executableTarget(
            name: "OutboxWriter",
            dependencies: ["Outbox", "OutboxCore", "OutboxFiles", "OutboxSQLite"],
            path: "Tests/Support/OutboxWriter"
        ),
        .testTarget(
            name: "OutboxFilesTests",
            dependencies: [
                "KilledProcess", "Outbox", "OutboxCore", "OutboxFiles", "OutboxLedger",
                "OutboxSQLite",
                "OutboxTesting", "OutboxWriter", "TemporaryFolders", "TestSeeds",
                .product(name: "Crypto", package: "swift-crypto"),
            ],
            exclude: ["Golden"]
        ),
        // What the storages' proofs share: promises, and a script that makes and breaks them.
        .target(
            name: "OutboxLedger",
            dependencies: ["Outbox", "OutboxCore", "OutboxTesting"],
            path: "Tests/Support/OutboxLedger"
        ),
        // Sees what SQLite asks of its files.
        .target(name: "WatchedVFS", dependencies: ["CSQLite"], path: "Tests/Support/WatchedVFS"),
        .target(
            name: "WatchedFiles",
            dependencies: ["OutboxTesting", "TemporaryFolders", "WatchedVFS"],
            path: "Tests/Support/WatchedFiles"
        ),
        // What the relay's benchmark compares the relay with.
        .executableTarget(
            name: "BodyReader",
            dependencies: [
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
            ],
            path: "Tests/Support/BodyReader"
        ),
        .executableTarget(
            name: "RowWriter",
            dependencies: ["CSQLite"],
            path: "Tests/Support/RowWriter"
        ),
        // The contract of the relay's stores.
        .target(
            name: "RelayTesting",
            dependencies: [
                "MemoTexts", "Outbox", "OutboxCore", "RelayAPI", "RelayRules", "RelayServer",
            ],
            path: "Tests/Support/RelayTesting"
        ),
        // Devices, network, relay, provider and inbox in one process: scripts/simulate runs it, too.
        .target(
            name: "OutboxSimulation",
            dependencies: [
                "CSQLite", "LibC", "MemoCore", "MemoSyncCore", "MemoTexts", "Outbox", "OutboxCore",
                "OutboxFiles", "OutboxSQLite", "OutboxTesting", "RelayAPI", "RelayRules",
                "RelayServer", "SimulatedBrowser", "SyncCore", "WatchedFiles", "WebClient",
                "WireCore",
                .product(name: "Logging", package: "swift-log"),
            ],
            path: "Tests/Support/OutboxSimulation"
        ),
        .executableTarget(
            name: "simulate",
            dependencies: [
                "LeaseWorlds", "LibC", "OutboxSimulation",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Tests/Support/Simulate"
        ),
        .testTarget(
            name: "OutboxSimulationTests",
            dependencies: [
                "Outbox", "OutboxCore", "OutboxSimulation", "OutboxSQLite", "OutboxTesting",
                "RelayAPI", "RelayRules", "RelaySQLite", "RelayServer", "RelayTesting", "SQLite",
                "TemporaryFolders", "TestSeeds", "Waiting", "simulate",
            ]
        ),
        .testTarget(
            name: "OutboxSQLiteTests",
            dependencies: [
                "CSQLite", "Outbox", "OutboxCore", "OutboxLedger", "OutboxSQLite",
                "OutboxTesting", "OutboxWriter", "SQLite", "TemporaryFolders", "TestSeeds",
                "Waiting", "WatchedFiles",
                .product(name: "Crypto", package: "swift-crypto"),
            ],
            exclude: ["Golden"]
        ),
        .testTarget(
            name: "OutboxSecretServiceTests",
            dependencies: [
                "Outbox", "OutboxCore", "OutboxSecretService", "TemporaryFolders",
                .product(name: "Crypto", package: "swift-crypto"),
            ]
        ),
        .testTarget(
            name: "MemoKitTests",
            dependencies: [
                "MemoCore", "MemoKit", "MemoTexts", "Outbox", "OutboxCore", "OutboxSQLite",
                "RelayAPI", "SQLite", "TemporaryFolders", "Waiting", "WireCore",
            ]
        ),
        .testTarget(
            name: "MemoProcessesTests",
            dependencies: [
                "MemoCore", "MemoKit", "MemoProcesses", "Outbox", "OutboxCore", "TemporaryFolders",
                "Waiting",
            ]
        ),
        .testTarget(
            name: "MemoTerminalTests",
            dependencies: [
                "LibC", "EditLine", "MemoCommandLine", "MemoCore", "MemoKit", "MemoProcesses",
                "MemoTerminal", "MemoTexts", "OutboxCore", "OutboxTesting", "TestSeeds", "WireCore",
                "memo",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]
        ),
        // A device that is signed in, and a server that does what a test tells it to.
        .target(
            name: "CourierTesting",
            dependencies: [
                "LibC", "MemoCore", "MemoKit", "Outbox", "OutboxCore", "TemporaryFolders",
            ],
            path: "Tests/Support/CourierTesting"
        ),
        .testTarget(
            name: "MemoCourierTests",
            dependencies: [
                "ConnectivityCore", "CourierTesting", "LibC", "MemoCore", "MemoCourier", "MemoKit",
                "MemoTexts", "Outbox", "OutboxCore", "TemporaryFolders", "Waiting", "WireCore",
                .product(name: "Logging", package: "swift-log"),
            ]
        ),
        .testTarget(
            name: "MemoDeliveryTests",
            dependencies: [
                "CourierTesting", "LibC", "MemoCore", "MemoCourier", "MemoDelivery", "MemoKit",
                "MemoProcesses", "Outbox", "OutboxCore", "OutboxSQLite", "SQLite",
                "TemporaryFolders", "Waiting", "memo-agent",
                .product(name: "Logging", package: "swift-log"),
            ]
        ),
        .testTarget(
            name: "MemoSharingTests",
            dependencies: [
                "CourierTesting", "MemoCore", "MemoCourier", "MemoKit", "MemoSharing",
                "MemoSyncCore", "MemoTexts", "OfflineFirst", "Outbox", "OutboxCore", "WireCore",
            ]
        ),
        .testTarget(
            name: "RelayRulesTests",
            dependencies: [
                "LeaseWorlds", "MemoCore", "OutboxCore", "OutboxTesting", "RelayAPI", "RelayRules",
                "TestSeeds",
            ]
        ),
        // Relays that share a queue, in worlds that seeds choose: scripts/simulate --relays runs them.
        .target(
            name: "LeaseWorlds",
            dependencies: ["OutboxCore", "OutboxTesting", "RelayRules"],
            path: "Tests/Support/LeaseWorlds"
        ),
        // A PostgreSQL server of a test's own.
        .target(
            name: "PostgreSQLServer",
            dependencies: ["KilledProcess", "TemporaryFolders"],
            path: "Tests/Support/PostgreSQLServer"
        ),
        .testTarget(
            name: "PostgreSQLTests",
            dependencies: [
                "PostgreSQL", "PostgreSQLServer", "TemporaryFolders", "Waiting",
            ]
        ),
        .testTarget(
            name: "RelayPostgresTests",
            dependencies: [
                "Outbox", "OutboxCore", "OutboxTesting", "PostgreSQL", "PostgreSQLServer",
                "RelayAPI", "RelayPostgres", "RelayRules", "RelaySQLite", "RelayServer",
                "RelayTesting", "SQLite", "TemporaryFolders", "TestSeeds", "Waiting",
            ]
        ),
        .testTarget(name: "MailDomainTests", dependencies: ["Essentials", "MailDomain"]),
        .testTarget(
            name: "RelaySQLiteTests",
            dependencies: [
                "MemoTexts", "Outbox", "OutboxCore", "OutboxSQLite", "OutboxTesting", "RelayRules",
                "RelaySQLite", "RelayServer", "RelayTesting", "SQLite", "TemporaryFolders",
                "TestSeeds", "Waiting",
            ]
        ),
        .testTarget(
            name: "RelayServerTests",
            dependencies: [
                "CourierTesting", "LibC", "MemoCore", "MemoCourier", "MemoKit", "MemoSharing",
                "MemoSyncCore", "MemoTexts", "OfflineFirst", "OfflineFirstTesting", "Outbox",
                "OutboxCore", "OutboxSQLite", "OutboxTesting", "RelayAPI", "RelayRules",
                "RelaySQLite", "RelayServer", "RelayTesting", "SQLite", "SyncCore",
                "TemporaryFolders", "TestSeeds", "Waiting", "WireCore",
                "memo-relay",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "NIOTLS", package: "swift-nio"),
                .product(
                    name: "RawStructuredFieldValues",
                    package: "swift-http-structured-headers"
                ),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            exclude: ["Golden"]
        ),
    ],
    swiftLanguageModes: [.v6]
)

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
let pure = strict + [.treatWarning("EmbeddedRestrictions", as: .error)]
let cores: Set = [
    "OutboxCore", "StoreCore", "SyncCore", "ConnectivityCore", "WireCore", "MemoTexts", "MemoCore",
    "MemoSyncCore", "WebClient",
]

for target in package.targets where target.type != .system {
    target.swiftSettings = cores.contains(target.name) ? pure : strict
}
