#if os(Linux)
    import Foundation

    /// A session bus of the tests' own and GNOME Keyring on it, away from the person's: with a home
    /// folder of its own, and without anything on the bus that could start a service or ask a
    /// person.
    ///
    /// GLib knows one session bus for each process, so there is one of these, used by one test at a
    /// time.
    final class PrivateKeyring {
        /// A tool that is missing, or did not do what it is there for.
        struct Failure: Error, CustomStringConvertible {
            let description: String
        }

        nonisolated(unsafe) private static let made = Result { try PrivateKeyring() }

        /// The one keyring of this process.
        ///
        /// - Throws: ``Failure``, which names the missing tools.
        static var shared: PrivateKeyring {
            get throws { try made.get() }
        }

        /// The tools and the library that this machine lacks.
        static let missing: [String] = {
            let tools = ["dbus-daemon", "dbus-send", "gnome-keyring-daemon", "secret-tool"]
            let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
            var missing = tools.filter { tool in
                !folders.contains {
                    FileManager.default.isExecutableFile(atPath: "\($0)/\(tool)")
                }
            }
            let library = "libsecret-1.so.0"
            if let handle = dlopen(library, RTLD_LAZY) {
                dlclose(handle)
            } else {
                missing.append(library)
            }
            return missing
        }()

        let folder: String
        private let bus: Process
        private var daemon: Process?

        private init() throws {
            guard Self.missing.isEmpty else {
                let names = Self.missing.joined(separator: ", ")
                throw Failure(
                    description:
                        "missing: \(names); scripts/install-dependencies test installs them"
                )
            }
            folder = NSTemporaryDirectory() + "keyring-" + UUID().uuidString
            try FileManager.default.createDirectory(
                atPath: folder,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
            let configuration = """
                <busconfig><type>session</type><listen>unix:path=\(folder)/bus</listen>
                <policy context="default"><allow send_destination="*" eavesdrop="true"/>
                <allow eavesdrop="true"/><allow own="*"/></policy>
                </busconfig>
                """
            try Data(configuration.utf8).write(to: URL(filePath: folder + "/bus.conf"))
            setenv("HOME", folder, 1)
            setenv("XDG_DATA_HOME", folder + "/data", 1)
            setenv("XDG_RUNTIME_DIR", folder, 1)
            setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=\(folder)/bus", 1)
            bus = try Self.launched(
                removing: folder,
                "dbus-daemon",
                "--config-file=\(folder)/bus.conf",
                "--nofork",
                "--nopidfile"
            )
            try waitUntil("the bus answers") { isOwned("org.freedesktop.DBus") }
            try start()
        }

        /// Starts the daemon; its collection is unlocked.
        func start() throws {
            daemon = try Self.launched(
                "gnome-keyring-daemon",
                "--foreground",
                "--unlock",
                "--components=secrets"
            )
            try waitUntil("the keyring answers") { isOwned("org.freedesktop.secrets") }
        }

        /// Ends the daemon the hard way.
        func kill() throws {
            guard let daemon else { return }
            try Self.end(daemon)
            self.daemon = nil
            try waitUntil("the bus knows") { !isOwned("org.freedesktop.secrets") }
        }

        func lock() throws {
            try Self.run(
                "dbus-send",
                "--session",
                "--print-reply",
                "--dest=org.freedesktop.secrets",
                "/org/freedesktop/secrets",
                "org.freedesktop.Secret.Service.Lock",
                "array:objpath:/org/freedesktop/secrets/collection/login"
            )
        }

        func unlock() throws {
            try kill()
            try start()
        }

        /// Has the daemon neither answer nor end while `body` runs.
        func whileStopped(_ body: () throws -> Void) throws {
            let process = try child(of: daemon!)
            Foundation.kill(process, SIGSTOP)
            defer { Foundation.kill(process, SIGCONT) }
            try body()
        }

        /// What libsecret's own tool finds under these attributes.
        func lookUp(_ attributes: String...) throws -> String {
            try Self.run("secret-tool", ["lookup"] + attributes)
        }

        /// Every file below the folder.
        func files() throws -> [String: Data] {
            var files: [String: Data] = [:]
            for name in try FileManager.default.subpathsOfDirectory(atPath: folder) {
                var status = stat()
                let path = folder + "/" + name
                guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
                    continue
                }
                files[name] = try Data(contentsOf: URL(filePath: path))
            }
            return files
        }

        private func isOwned(_ name: String) -> Bool {
            let answer = try? Self.run(
                "dbus-send",
                "--session",
                "--print-reply",
                "--dest=org.freedesktop.DBus",
                "/org/freedesktop/DBus",
                "org.freedesktop.DBus.NameHasOwner",
                "string:\(name)"
            )
            return answer?.contains("boolean true") == true
        }

        private func waitUntil(_ what: String, _ condition: () -> Bool) throws {
            // A busy machine starts a daemon in seconds: a longer wait is a hang.
            let end = ContinuousClock.now + .seconds(60)
            while !condition() {
                guard ContinuousClock.now < end else { throw Failure(description: "not: \(what)") }
                usleep(10_000)
            }
        }

        private func child(of process: Process) throws -> pid_t {
            let id = process.processIdentifier
            let path = "/proc/\(id)/task/\(id)/children"
            let children = try String(contentsOfFile: path, encoding: .utf8)
            for child in children.split(separator: " ").compactMap({ pid_t($0) }) {
                let name = try String(contentsOfFile: "/proc/\(child)/comm", encoding: .utf8)
                if name.hasPrefix("gnome-keyring") { return child }
            }
            throw Failure(description: "the keyring has ended")
        }

        /// A process that ends with this one, however that is: as soon as nobody holds its input.
        private static func launched(
            removing folder: String = "",
            _ command: String...
        ) throws -> Process {
            let process = Process()
            process.executableURL = URL(filePath: "/bin/sh")
            let script = "printf password | \"$@\" & cat; kill -9 $!; rm -rf \"$0\""
            process.arguments = ["-c", script, folder] + command
            process.standardInput = Pipe()
            process.standardOutput = FileHandle.nullDevice
            process.standardError = FileHandle.nullDevice
            try process.run()
            return process
        }

        private static func end(_ process: Process) throws {
            try (process.standardInput as! Pipe).fileHandleForWriting.close()
            process.waitUntilExit()
        }

        @discardableResult
        private static func run(_ command: String, _ arguments: String...) throws -> String {
            try run(command, arguments)
        }

        private static func run(_ command: String, _ arguments: [String]) throws -> String {
            let process = Process()
            let output = Pipe()
            process.executableURL = URL(filePath: "/usr/bin/env")
            process.arguments = [command] + arguments
            process.standardOutput = output
            process.standardError = FileHandle.nullDevice
            try process.run()
            let answer = output.fileHandleForReading.readDataToEndOfFile()
            process.waitUntilExit()
            guard process.terminationStatus == 0 else {
                throw Failure(description: "\(command) failed")
            }
            return String(decoding: answer, as: UTF8.self)
        }
    }
#endif
