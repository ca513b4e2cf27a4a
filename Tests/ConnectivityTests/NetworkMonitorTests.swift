#if os(Linux)
    import Connectivity
    import ConnectivityCore
    import Foundation
    import TemporaryFolders
    import Testing
    import Waiting

    @Suite("The network monitor", .serialized)
    struct NetworkMonitorTests {
        @Test(
            "gives the current state at once, ends with its task, and closes its descriptor",
            // Ends a test that would hang: a descriptor is closed milliseconds after its task.
            .timeLimit(.minutes(60))
        )
        func ends() async throws {
            // Of netlink alone: other tests open sockets of other kinds meanwhile.
            func sockets() throws -> Int {
                let table = try String(contentsOfFile: "/proc/self/net/netlink", encoding: .utf8)
                let inodes = Set(
                    table.split(separator: "\n").compactMap { line in
                        line.split(separator: " ").last.map { "socket:[\($0)]" }
                    }
                )
                return try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count {
                    let target = try? FileManager.default.destinationOfSymbolicLink(
                        atPath: "/proc/self/fd/\($0)"
                    )
                    return target.map(inodes.contains) == true
                }
            }
            let before = try sockets()
            for _ in 0..<20 {
                let (started, start) = AsyncStream<NetworkState>.makeStream()
                let task = Task {
                    for await state in NetworkMonitor() { start.yield(state) }
                }
                let first = await started.first { _ in true }
                #expect(first?.arrivals == 0)
                task.cancel()
                await task.value
            }
            while try sockets() > before {
                try Task.checkCancellation()
                await Task.yield()
            }
        }

        @Test(
            "follows a link that comes, goes down at either end, returns and disappears",
            .enabled(
                if: Requirement.isMet(NetworkNamespace.isPossible),
                "needs root, to make a network namespace"
            ),
            // Ends a test that would hang: a line comes within milliseconds of its command.
            .timeLimit(.minutes(60))
        )
        func link() async throws {
            try await onOwnThread { try follow() }
        }

        private func follow() throws {
            let namespace = try NetworkNamespace()
            #expect(namespace.nextLine() == "disconnected unknown 0")
            let steps = [
                ("ip link add near type veth peer name far", nil),
                ("ip address add 192.0.2.1/24 dev near", nil),
                ("ip link set far up", nil),
                ("ip link set near up", "disconnected unknown 1"),
                ("ip route add default via 192.0.2.2", "connected ethernet 2"),
                ("ip link set far down", "disconnected unknown 2"),
                ("ip link set far up", "connected ethernet 3"),
                ("ip link set near down", "disconnected unknown 3"),
                ("ip link set near up", "disconnected unknown 4"),
                ("ip route add default via 192.0.2.2", "connected ethernet 5"),
                ("ip link delete near", "disconnected unknown 5"),
            ]
            for (command, line) in steps {
                try namespace.run(command)
                if let line { #expect(namespace.nextLine() == line, "after \(command)") }
            }
        }
    }

    /// A network namespace with the printer of states in it. It ends with its processes, whatever
    /// becomes of this one.
    private final class NetworkNamespace {
        private let shell = Process()
        private let input = Pipe()
        private let output = Pipe()
        private var read: [UInt8] = []

        static let isPossible: Bool = {
            let trial = Process()
            trial.executableURL = URL(filePath: "/usr/bin/unshare")
            trial.arguments = [
                "--net", "--mount", "/bin/sh", "-c",
                "mount -t sysfs sysfs /sys && ip link add near type veth peer name far",
            ]
            trial.standardError = FileHandle.nullDevice
            guard (try? trial.run()) != nil else { return false }
            trial.waitUntilExit()
            return trial.terminationStatus == 0
        }()

        init() throws {
            let printer = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
                .appending(path: "NetworkPrinter").path
            shell.executableURL = URL(filePath: "/usr/bin/unshare")
            shell.arguments = [
                "--net", "--mount", "/bin/sh", "-c",
                """
                mount -t sysfs sysfs /sys
                "$0" </dev/null & trap "kill $!" EXIT
                while read -r command; do $command || exit; done
                """, printer,
            ]
            shell.standardInput = input
            shell.standardOutput = output
            try shell.run()
            try output.fileHandleForWriting.close()
        }

        deinit {
            try? input.fileHandleForWriting.close()
            shell.waitUntilExit()
        }

        func run(_ command: String) throws {
            try input.fileHandleForWriting.write(contentsOf: Data("\(command)\n".utf8))
        }

        /// - Returns: `nil` once nothing will be printed any more.
        func nextLine() -> String? {
            while true {
                if let end = read.firstIndex(of: 0x0a) {
                    defer { read.removeSubrange(...end) }
                    return String(decoding: read[..<end], as: UTF8.self)
                }
                let more = output.fileHandleForReading.availableData
                if more.isEmpty { return nil }
                read += more
            }
        }
    }
#endif
