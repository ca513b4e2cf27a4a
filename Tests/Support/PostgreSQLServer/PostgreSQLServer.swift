import Foundation
import KilledProcess
import TemporaryFolders

/// A PostgreSQL server of a test's own, of Debian's binaries, in a folder of its own.
///
/// It listens on a socket in that folder alone. It ends with this object, and with this process. Its
/// folder, which is in `/tmp` because a socket's path is short, is removed.
package final class PostgreSQLServer {
    package struct CannotStart: Error, CustomStringConvertible {
        /// The end of the server's log.
        package let description: String
    }

    /// The folder with PostgreSQL's programs; `nil` where it is not installed.
    private static let programs: String? = {
        let versions = "/usr/lib/postgresql"
        let names = try? FileManager.default.contentsOfDirectory(atPath: versions)
        return (names ?? []).compactMap { Int($0) }.max().map { "\(versions)/\($0)/bin" }
    }()

    /// Whether the tests that need a server run.
    package static var isThere: Bool { Requirement.isMet(programs != nil) }

    /// The folder of the data, the socket and the log.
    package let folder: String
    private let options: String
    private var process: KilledProcess?

    /// Makes a database and starts its server.
    ///
    /// - Parameters:
    ///   - options: Further options of `postgres`, for the shell.
    ///   - access: Lines of `pg_hba.conf` before those that let everybody in.
    package init(options: String = "", access: String = "") throws {
        var template = Array("/tmp/memo-pg-XXXXXX".utf8CString)
        guard let made = mkdtemp(&template) else { throw CannotStart(description: "no folder") }
        folder = String(cString: made)
        self.options = options
        if getuid() == 0 { try shell("chown \(Self.user) \(folder)") }
        try shell(
            "cd \(folder) && \(program("initdb")) -D data -U memo -A trust -E UTF8 --no-locale --no-sync"
        )
        let file = folder + "/data/pg_hba.conf"
        try (access + "\nlocal all all trust\nhost all all 127.0.0.1/32 trust\n")
            .write(toFile: file, atomically: false, encoding: .utf8)
        try start()
    }

    deinit {
        kill()
        do {
            try FileManager.default.removeItem(atPath: folder)
        } catch {
            print("could not remove \(folder)")
        }
    }

    /// A connection string for the database `postgres`.
    package var address: String { address(of: "postgres") }

    /// A connection string for a database of the server.
    package func address(of database: String) -> String {
        "host=\(folder) user=memo dbname=\(database)"
    }

    /// Starts the server, and returns when it lets clients in.
    package func start() throws {
        // A process of the server that is in a commit when the first one is killed reads commands from the
        // standard input, and ends with it.
        process = try KilledProcess(
            "/bin/sh",
            [
                "-c",
                """
                cd \(folder) && exec \(program("postgres")) -D data -k \(folder) -h '' \
                -c dynamic_shared_memory_type=mmap \(options) \
                </dev/null >>log 2>&1
                """,
            ]
        )
        try shell(
            """
            for try in $(seq 600); do \(program("pg_isready")) -q -h \(folder) && exit 0; sleep 0.1; done
            exit 1
            """
        )
    }

    /// Kills the server's first process, and returns when all its processes are gone: they end without a
    /// word to their clients, and without writing anything.
    package func kill() {
        guard let process else { return }
        let number = process.identifier
        let list = "/proc/\(number)/task/\(number)/children"
        let children = (try? String(contentsOfFile: list, encoding: .utf8)) ?? ""
        _ = process.kill()
        self.process = nil
        for child in children.split(separator: " ") {
            // The program of a process that has ended cannot be read, also before anybody waited for it.
            var path = [CChar](repeating: 0, count: 1)
            while readlink("/proc/\(child)/exe", &path, 1) >= 0 { usleep(1000) }
        }
    }

    /// Stops the server: it ends all connections.
    package func stop() {
        process?.end(by: SIGINT)
        process = nil
    }

    /// Runs a command of a shell, as root if this process is root.
    package func shell(_ command: String) throws {
        let shell = try KilledProcess(
            "/bin/sh",
            ["-c", "(\(command)) >>\(folder)/log 2>&1 && echo done"]
        )
        guard shell.readLine() == "done" else {
            let log = (try? String(contentsOfFile: folder + "/log", encoding: .utf8)) ?? ""
            throw CannotStart(description: String(log.suffix(2000)))
        }
    }

    /// The user whose process a server is where this process is root: a server refuses root.
    private static var user: String { getpwnam("postgres") == nil ? "nobody" : "postgres" }

    /// The shell's words before a program that refuses to run as root.
    static var asUser: String {
        guard getuid() == 0 else { return "" }
        return "setpriv --reuid=\(user) --regid=$(id -g \(user)) --clear-groups "
    }

    /// The shell's words for a program of PostgreSQL.
    private func program(_ name: String) -> String {
        Self.asUser + "\(Self.programs ?? "/usr/lib/postgresql")/\(name)"
    }
}
