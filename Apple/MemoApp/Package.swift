// swift-tools-version: 6.2
import PackageDescription

// The iPhone app, all but its entry point. UIKit is on Apple's systems alone: on Linux,
// scripts/check-apple compiles the app against Apple/StandIns and tries it.
let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

let package = Package(
    name: "memo-app",
    platforms: [.iOS(.v18)],
    products: [
        .library(name: "MemoApp", targets: ["MemoApp"]),
        .library(name: "MemoDoors", targets: ["MemoDoors"]),
    ],
    dependencies: [.package(name: "simple-memo", path: "../..")],
    targets: [
        // What the app's extensions have, too.
        .target(
            name: "MemoDoors",
            dependencies: [
                .product(name: "MemoCore", package: "simple-memo"),
                .product(name: "MemoKit", package: "simple-memo"),
                .product(name: "MemoTexts", package: "simple-memo"),
                .product(name: "Outbox", package: "simple-memo"),
                .product(name: "OutboxCore", package: "simple-memo"),
            ],
            swiftSettings: settings
        ),
        .target(
            name: "MemoApp",
            dependencies: [
                "MemoDoors",
                .product(name: "Connectivity", package: "simple-memo"),
                .product(name: "ConnectivityCore", package: "simple-memo"),
                .product(name: "MemoCore", package: "simple-memo"),
                .product(name: "MemoCourier", package: "simple-memo"),
                .product(name: "MemoSharing", package: "simple-memo"),
                .product(name: "MemoKit", package: "simple-memo"),
                .product(name: "MemoTexts", package: "simple-memo"),
                .product(name: "Outbox", package: "simple-memo"),
                .product(name: "OutboxCore", package: "simple-memo"),
                .product(name: "Store", package: "simple-memo"),
            ],
            swiftSettings: settings
        ),
    ],
    swiftLanguageModes: [.v6]
)
