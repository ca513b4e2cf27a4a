import ArgumentParser
import LibC
import Logging
import Outbox
import OutboxCore
import RelayPostgres
import RelaySQLite
import RelayServer

/// `memo-relay serve`: options to configuration, errors to sentences.
struct Serve: AsyncParsableCommand, ServingCommand {
    static let configuration = CommandConfiguration(
        abstract: "Serve until SIGTERM or SIGINT.",
        discussion: """
            Prints one line, "listening on http://HOST:PORT", when it is ready. Logs go to \
            standard error. The SMTP user and password are read from the environment, \
            MEMO_RELAY_SMTP_USER and MEMO_RELAY_SMTP_PASSWORD, or from the file of --config, as \
            smtp-user and smtp-password, and so are those of an IMAP mailbox for all addresses, \
            MEMO_RELAY_IMAP_USER and MEMO_RELAY_IMAP_PASSWORD or imap-user and imap-password ("memo-relay \
            mailbox" gives single addresses their own), and Resend's API key: MEMO_RELAY_RESEND_KEY or \
            resend-key, and the secret of its webhooks: MEMO_RELAY_RESEND_WEBHOOK_SECRET or \
            resend-webhook-secret. The password of a PostgreSQL database is MEMO_RELAY_DATABASE_PASSWORD or \
            database-password. Every option can be given there and in the environment; "memo-relay \
            check-config" shows where each setting comes from.

            "/" is the web app, where the program holds one or --web names one.

            Exit codes: 0 after SIGTERM or SIGINT; 1 if the address or a folder cannot be used; \
            64 for mistakes in the settings, all of which are named with their origins.
            """
    )

    @OptionGroup var options: ServeOptions

    func run() async throws {
        guard var configuration = options.relayConfiguration() else { throw ExitCode(64) }
        let level = Logger.Level(rawValue: options.logLevel) ?? .info
        LoggingSystem.bootstrap { label in
            var handler = StreamLogHandler.standardError(label: label)
            handler.logLevel = level
            return handler
        }
        let host = options.host.contains(":") ? "[\(options.host)]" : options.host
        do {
            let logger = Logger(label: "relay")
            configuration.web =
                try options.web.map(WebBundle.init(folder:)) ?? WebBundle.embedded(logger: logger)
            let listening: @Sendable (Int) -> Void = { port in
                print("listening on http://\(host):\(port)")
                fflush(nil)
            }
            let leaseSeconds = options.leaseSeconds
            switch DataPlace.named(options.data, key: options.key, isPooled: options.pooled) {
            case .success(.folder(let folder)):
                try await serveRelay(
                    configuration,
                    logger: logger,
                    opening: {
                        settings throws(RelayStartError) in
                        try SQLiteRelayStore(folder: folder, settings)
                    },
                    listening: listening
                )
            case .success(.database(let place, _)):
                try await serveRelay(
                    configuration,
                    logger: logger,
                    opening: {
                        settings async throws(RelayStartError) in
                        try await place.store(settings, leaseSeconds: leaseSeconds)
                    },
                    listening: listening
                )
            case .failure(let mistake): throw complain(mistake.sentence)
            }
        } catch let error as RelayStartError {
            throw complain(sentence(for: error))
        } catch let error as WebBundleError {
            throw complain(error.sentence(folder: options.web))
        }
    }

    private func sentence(for error: RelayStartError) -> String {
        let (data, host, port) = (options.data ?? "", options.host, options.port)
        let key = options.key ?? "\(data)/key"
        return switch error {
        case .limits:
            "the limits contradict each other."
        case .dataFolder(let code):
            "the data folder \(data) cannot be made or written: \(systemSentence(code)). Its parent "
                + "folder has to exist, and this user has to own the folder."
        case .database(let fault) where options.key != nil: fault.sentence(ofDatabaseWith: key)
        case .database(let fault): fault.sentence(folder: data)
        case .dataFolderInUse:
            "another relay runs on the data folder \(data). Stop it, or choose another with --data."
        case .key(.permissionsTooWide):
            "others than its owner may read the key file \(key). Run: chmod 600 \(key)"
        case .key(.missing):
            "the key file \(key) is gone; without it nothing that the relay has stored can be read. "
                + "Put it back from a backup."
        case .key(.malformed):
            "the key file \(key) is damaged; without it nothing that the relay has stored can be read. "
                + "Put it back from a backup."
        case .key:
            "the key file \(key) cannot be read or made."
        case .secret:
            "the database has accounts, but has lost the secret by which they are found. "
                + "Put the whole database back from a backup, with its key."
        case .tables:
            "the tables of the PostgreSQL database are not those of this build, and this role may not read or "
                + "change them. Nothing was changed. Run \"memo-relay migrate\" as the role that owns "
                + "the tables; see docs/operating.md for the rights of roles."
        case .copied:
            "the data in \(data) is being copied into a PostgreSQL database, or was copied. No relay serves "
                + "from the folder any more: its mails that wait would be sent twice. Name the database with "
                + "--data, or run \"memo-relay copy --from sqlite:\(data) --cancel\"."
        case .copyUnderWay:
            "data of another relay is being copied into the PostgreSQL database. Run \"memo-relay copy\" "
                + "again, to its end."
        case .maildir:
            "the Maildir cannot be made or written. Choose another with --mail."
        case .metricsAddress(let code):
            "port \(options.metricsPort ?? 0) of this machine cannot be used for metrics: "
                + "\(systemSentence(code)). Choose another with --metrics-port, or 0 for any."
        case .address(EADDRINUSE):
            "port \(port) on \(host) is in use. Choose another with --port, or 0 for any."
        case .address(EACCES):
            "port \(port) needs privileges that this process does not have."
        case .address(let code):
            "\(host) port \(port) cannot be listened on: \(systemSentence(code)). Choose another "
                + "address with --host."
        case .unknownHost:
            "this machine knows no host \(host). Name one of its own addresses with --host."
        }
    }
}

extension DatabaseFault {
    /// The fault as an operator reads it, and a remedy that keeps the mails that wait.
    func sentence(folder: String) -> String {
        switch self {
        case .damaged:
            "the database in \(folder) is damaged. Nothing was changed. Keep a copy of the whole folder, "
                + "and put a backup in its place. In an empty folder, the mails that wait would be "
                + "missing."
        case .otherKey:
            "the database in \(folder) is sealed with another key than \(folder)/key. Nothing was "
                + "changed. Put its own key back, from a backup. In an empty folder, the mails that "
                + "wait would be missing."
        case .diskFull:
            "the disk of \(folder) is full. Nothing was changed. Make room for the database."
        case .notWritable:
            "this user cannot write the database in \(folder). Nothing was changed. Run this as the "
                + "user of the relay, who owns the folder."
        case .busy:
            "another process holds the database in \(folder). Nothing was changed. Try again."
        case .failed(let code):
            "the database in \(folder) cannot be used (\(code)). Nothing was changed. Run this as the "
                + "user of the relay."
        }
    }
}

extension DatabaseFault {
    /// The fault of a PostgreSQL database as an operator reads it. Names no address: it may tell a user.
    func sentence(ofDatabaseWith key: String) -> String {
        switch self {
        case .damaged:
            "the PostgreSQL database is damaged. Nothing was changed. Put a backup in its place."
        case .otherKey:
            "the PostgreSQL database is sealed with another key than \(key). Nothing was changed. Name the "
                + "key of its other relays, or put its own key back, from a backup."
        case .diskFull:
            "the disk of the PostgreSQL database is full. Nothing was changed."
        case .notWritable:
            "the PostgreSQL database cannot be reached, does not let this program in, or does not let it "
                + "write; or libpq 14 is not installed. Nothing was changed. Try \"psql\" with the address "
                + "of --data, as the user of the relay."
        case .busy:
            "the PostgreSQL database has no connection left, or starts. Nothing was changed. Try again."
        case .failed(let code):
            "the PostgreSQL database cannot be used (\(code)). Nothing was changed."
        }
    }
}

/// The system's text for an error number.
private func systemSentence(_ code: Int32) -> String {
    strerror(code).map { String(cString: $0) } ?? "error \(code)"
}
