import Foundation
import KilledProcess
import TemporaryFolders

/// A PostgreSQL server of a test's own, of Debian's binaries, in a folder of its own.
///
/// It listens on a socket in that folder, and by TCP, on the loopback address, if it is asked to. It ends with this object, and with this process. Its
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
    /// The port, which is also a part of the socket's name.
    package let port: Int
    private let options: String
    private var process: KilledProcess?

    /// Makes a database and starts its server.
    ///
    /// - Parameters:
    ///   - listensWithTLS: Whether it also listens by TCP, at ``port``, with a certificate for
    ///     `database.example`.
    ///   - options: Further options of `postgres`, for the shell.
    ///   - access: Lines of `pg_hba.conf` before those that let everybody in.
    package init(
        listensWithTLS: Bool = false,
        options: String = "",
        access: String = ""
    ) throws {
        var template = Array("/tmp/memo-pg-XXXXXX".utf8CString)
        guard let made = mkdtemp(&template) else { throw CannotStart(description: "no folder") }
        folder = String(cString: made)
        port = listensWithTLS ? try Self.freePort() : 5432
        let listening = """
            -c listen_addresses=127.0.0.1 -c ssl=on -c ssl_cert_file=\(folder)/server.crt \
            -c ssl_key_file=\(folder)/server.key
            """
        self.options = "-p \(port) \(listensWithTLS ? listening : "") \(options)"
        if getuid() == 0 { try shell("chown \(Self.user) \(folder)") }
        try shell(
            "cd \(folder) && \(program("initdb")) -D data -U memo -A trust -E UTF8 --no-locale --no-sync"
        )
        let file = folder + "/data/pg_hba.conf"
        try (access + "\nlocal all all trust\nhost all all 127.0.0.1/32 trust\n")
            .write(toFile: file, atomically: false, encoding: .utf8)
        if listensWithTLS { try makeCertificates() }
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
        "host=\(folder) port=\(port) user=memo dbname=\(database)"
    }

    /// Makes an empty database.
    package func makeDatabase(_ name: String) throws {
        try shell("\(program("createdb")) -h \(folder) -p \(port) -U memo -T template0 \(name)")
    }

    /// Removes a database, whose connections it ends.
    package func dropDatabase(_ name: String) throws {
        try shell("\(program("dropdb")) -f -h \(folder) -p \(port) -U memo \(name)")
    }

    /// The file with the certificate of the authority behind the server's.
    package var authority: String { folder + "/authority.crt" }

    /// A port that nobody listens at now.
    private static func freePort() throws -> Int {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(listener) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                guard bind(listener, address, length) == 0 else { return errno }
                return getsockname(listener, address, &length) == 0 ? 0 : errno
            }
        }
        guard code == 0 else { throw CannotStart(description: "no free port (\(code))") }
        return Int(UInt16(bigEndian: address.sin_port))
    }

    private func makeCertificates() throws {
        let new = "openssl req -new -newkey rsa:2048 -nodes -days 2"
        try shell(
            """
            cd \(folder) && umask 077 &&
            \(new) -x509 -subj /CN=authority -keyout authority.key -out authority.crt &&
            \(new) -subj /CN=server -keyout server.key -out server.csr &&
            echo subjectAltName=DNS:database.example >names &&
            openssl x509 -req -in server.csr -CA authority.crt -CAkey authority.key -CAcreateserial \
                -days 2 -extfile names -out server.crt
            """
        )
        if getuid() == 0 {
            try shell("chown \(Self.user) \(folder)/server.key \(folder)/server.crt")
        }
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
        try waitUntilClientsAreLetIn(at: port)
    }

    /// Returns when clients are let in at a port of the folder: its socket is there a moment before.
    func waitUntilClientsAreLetIn(at port: Int) throws {
        try shell(
            """
            for try in $(seq 600); do \(program("pg_isready")) -q -h \(folder) -p \(port) && exit 0; sleep 0.1; done
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
