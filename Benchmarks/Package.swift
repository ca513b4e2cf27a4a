// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "simple-memo", path: "..")],
    targets: [
        .executableTarget(
            name: "EnqueueBenchmark",
            dependencies: [
                .product(name: "Outbox", package: "simple-memo"),
                .product(name: "OutboxSQLite", package: "simple-memo"),
            ],
            swiftSettings: [.treatAllWarnings(as: .error)])
    ],
    swiftLanguageModes: [.v6]
)
