// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [.treatAllWarnings(as: .error)]

let package = Package(
    name: "examples",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "simple-memo", path: "..")],
    targets: [
        // A restaurant's kitchen in the terminal: how to use Store.
        .executableTarget(
            name: "Kitchen",
            dependencies: [.product(name: "Store", package: "simple-memo")],
            swiftSettings: strict
        ),
        .testTarget(
            name: "KitchenTests",
            dependencies: ["Kitchen", .product(name: "Store", package: "simple-memo")],
            swiftSettings: strict
        ),
        // Tickets for a printer that is not always on: Outbox for operations other than memos.
        .executableTarget(
            name: "Tickets",
            dependencies: [
                .product(name: "Outbox", package: "simple-memo"),
                .product(name: "OutboxCore", package: "simple-memo"),
                .product(name: "OutboxSQLite", package: "simple-memo"),
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "TicketsTests",
            dependencies: ["Tickets", .product(name: "Outbox", package: "simple-memo")],
            swiftSettings: strict
        ),
    ],
    swiftLanguageModes: [.v6]
)
