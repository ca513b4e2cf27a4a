// swift-tools-version: 6.2
import PackageDescription

// The iPhone app, all but its entry point. UIKit is on Apple's systems alone: on Linux,
// scripts/check-apple compiles the app against Apple/StandIns and tries it.
let package = Package(
    name: "memo-app",
    platforms: [.iOS(.v18)],
    products: [.library(name: "MemoApp", targets: ["MemoApp"])],
    dependencies: [.package(name: "simple-memo", path: "../..")],
    targets: [
        .target(
            name: "MemoApp",
            dependencies: [
                .product(name: "MemoCore", package: "simple-memo"),
                .product(name: "MemoCourier", package: "simple-memo"),
                .product(name: "MemoKit", package: "simple-memo"),
                .product(name: "MemoTexts", package: "simple-memo"),
                .product(name: "Outbox", package: "simple-memo"),
                .product(name: "OutboxCore", package: "simple-memo"),
                .product(name: "Store", package: "simple-memo"),
            ],
            swiftSettings: [
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("InternalImportsByDefault"),
                .enableUpcomingFeature("MemberImportVisibility"),
                .treatAllWarnings(as: .error),
            ]
        )
    ],
    swiftLanguageModes: [.v6]
)
