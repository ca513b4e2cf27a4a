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
        // Heap.swift is a link to the web app's: the linker would keep the tables of Unicode beside
        // the whole of WebClient.
        .executableTarget(
            name: "SyncDriver",
            dependencies: [
                .product(name: "OutboxCore", package: "simple-memo"),
                .product(name: "StoreCore", package: "simple-memo"),
                .product(name: "SyncCore", package: "simple-memo"),
            ],
            swiftSettings: [
                .enableExperimentalFeature("Extern"), .treatAllWarnings(as: .error),
            ],
            linkerSettings: [
                .unsafeFlags(["-Xlinker", "--wrap=posix_memalign", "-Xlinker", "--wrap=free"])
            ]
        ),
        // The module that the browser loads.
        .executableTarget(
            name: "WebModule",
            dependencies: [.product(name: "WebClient", package: "simple-memo")],
            swiftSettings: [
                .enableExperimentalFeature("Extern"), .treatAllWarnings(as: .error),
            ],
            // The module has its own allocator.
            linkerSettings: [
                .unsafeFlags(["-Xlinker", "--wrap=posix_memalign", "-Xlinker", "--wrap=free"])
            ]
        ),
    ],
    swiftLanguageModes: [.v6]
)
