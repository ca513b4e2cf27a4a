// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "web",
    dependencies: [.package(name: "simple-memo", path: "..")],
    targets: [
        .executableTarget(
            name: "CoreVectors",
            dependencies: [.product(name: "OutboxCore", package: "simple-memo")],
            swiftSettings: [.treatAllWarnings(as: .error)])
    ],
    swiftLanguageModes: [.v6]
)
