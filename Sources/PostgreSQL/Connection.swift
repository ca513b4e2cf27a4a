import LibC
import LibpqShims

/// A connection to a PostgreSQL server, by libpq.
///
/// Its methods block the calling thread until the server has answered, for ``Settings/answerTime`` at
/// most. Not thread-safe: its owner serialises access, and calls it from a thread that may wait
/// (``Pool``).
///
/// After an error that ends the connection, each further call throws ``PostgreSQLError/lost`` at once.
package final class Connection {
    private let library: memo_libpq
    private let settings: Settings
    private let handle: OpaquePointer
    /// The names of the statements that the server has prepared.
    private var prepared: [Form: String] = [:]
    /// Whether the connection has been given up.
    private var isGivenUp = false

    /// The greatest number of statements that are prepared: those that come later are sent with their texts.
    private static let mostPrepared = 512

    /// A text with the types of its parameters. The server finds the type of a `NULL` by itself, and it
    /// may be another one than that of a later value.
    private struct Form: Hashable {
        let text: String
        let types: [UInt32]

        /// The length tells nearly all texts apart.
        func hash(into hasher: inout Hasher) {
            hasher.combine(text.utf8.count)
            hasher.combine(types)
        }
    }

    /// Connects: to the first host of the address that can be reached and is wanted
    /// (`target_session_attrs`). Takes ``Settings/connectSeconds`` for each address of each host at most.
    ///
    /// - Throws: ``PostgreSQLError/noLibrary``, ``PostgreSQLError/badAddress``,
    ///   ``PostgreSQLError/unreachable``, ``PostgreSQLError/notLetIn``.
    package init(_ settings: Settings) throws(PostgreSQLError) {
        library = try Libpq.load(settings.library).functions
        self.settings = settings
        guard Self.isAddress(settings.address, library) else { throw .badAddress }
        guard let handle = Self.connect(settings, library) else { throw .unreachable }
        self.handle = handle
        guard library.PQstatus(handle) == memo_pq_connection_ok else {
            let isAboutPassword =
                library.PQconnectionNeedsPassword(handle) != 0
                || library.PQconnectionUsedPassword(handle) != 0
            giveUp()
            throw isAboutPassword ? .notLetIn : .unreachable
        }
        // By default libpq writes notices, which may quote values, to standard error.
        _ = library.PQsetNoticeReceiver(handle, { _, _ in }, nil)
        guard library.PQsetnonblocking(handle, 1) == 0,
            !settings.pipelines || library.PQenterPipelineMode(handle) == 1
        else {
            giveUp()
            throw .lost
        }
    }

    deinit { if !isGivenUp { library.PQfinish(handle) } }

    private static func isAddress(_ text: String, _ library: memo_libpq) -> Bool {
        var message: UnsafeMutablePointer<CChar>?
        let options = library.PQconninfoParse(text, &message)
        if let message { library.PQfreemem(message) }
        guard let options else { return false }
        library.PQconninfoFree(options)
        // A text without '=' would be the name of a database.
        return text.contains("=") || text.hasPrefix("postgres://")
            || text.hasPrefix("postgresql://")
    }

    private static func connect(_ settings: Settings, _ library: memo_libpq) -> OpaquePointer? {
        let parameters = settings.parameters
        let names = parameters.map { strdup($0.name) }
        let values = parameters.map { strdup($0.value) }
        defer { for text in names + values { free(text) } }
        return library.PQconnectdbParams(
            names.map { UnsafePointer($0) } + [nil],
            values.map { UnsafePointer($0) } + [nil],
            1
        )
    }

    /// Whether the connection has not ended, as far as is known here.
    var isOpen: Bool { !isGivenUp }

    /// Whether statements are sent together.
    var pipelines: Bool { settings.pipelines }

    /// Whether the connection can be used for another transaction: it is there, and in none.
    package var isUsable: Bool {
        !isGivenUp && library.PQstatus(handle) == memo_pq_connection_ok
            && library.PQtransactionStatus(handle) == memo_pq_transaction_idle
    }

    /// Whether nothing came from the server while the connection was idle. A server that stops or
    /// changes its settings says so: such a connection is better replaced.
    ///
    /// - Complexity: One system call; the server is not asked.
    package var isQuiet: Bool {
        guard isUsable else { return false }
        var socket = pollfd(fd: library.PQsocket(handle), events: Int16(POLLIN), revents: 0)
        return poll(&socket, 1, 0) == 0
    }

    /// A copy of the connection's socket, for whoever waits until something comes.
    ///
    /// - Returns: A descriptor that is to be closed.
    func copyOfSocket() throws(PostgreSQLError) -> Int32 {
        let copy = isGivenUp ? -1 : dup(library.PQsocket(handle))
        guard copy >= 0 else { throw ended(with: .lost) }
        return copy
    }

    /// Reads what has come on the channels that this connection listens to. Does not wait.
    ///
    /// - Returns: The texts, in their order.
    func takeNotifications() throws(PostgreSQLError) -> [String] {
        guard !isGivenUp else { throw .lost }
        guard library.PQconsumeInput(handle) == 1 else { throw ended(with: .lost) }
        var texts: [String] = []
        while let notification = library.PQnotifies(handle) {
            texts.append(String(cString: notification.pointee.extra))
            library.PQfreemem(notification)
        }
        return texts
    }

    /// Runs one statement, which is a transaction of its own.
    ///
    /// - Throws: ``PostgreSQLError``.
    package func run(_ statement: Statement) throws(PostgreSQLError) -> Rows {
        try run([statement])[0]
    }

    /// Runs statements in their order, in one journey to the server and back where
    /// ``Settings/pipelines`` is on. Without a transaction around them they are one where they are sent
    /// together, and several else.
    ///
    /// - Throws: The error of the first statement that fails. Those behind it are not run.
    func run(_ statements: [Statement]) throws(PostgreSQLError) -> [Rows] {
        guard !isGivenUp else { throw .lost }
        let end = ContinuousClock.now + settings.answerTime
        guard settings.pipelines else {
            var answers: [Rows] = []
            for statement in statements { answers.append(try runAlone(statement, until: end)) }
            return answers
        }
        return try runTogether(statements, until: end)
    }

    // MARK: Sending

    private func runAlone(
        _ statement: Statement,
        until end: ContinuousClock.Instant
    ) throws(PostgreSQLError) -> Rows {
        let parameters = EncodedParameters(statement.parameters)
        let form = Form(text: statement.text, types: parameters.types)
        var isNew = false
        if let name = newName(of: form) {
            try check(sendPreparation(of: form, as: name))
            try flush(until: end)
            _ = try takeAnswer(until: end, mayBeStale: false).get()
            prepared[form] = name
            isNew = true
        }
        try check(send(form, parameters, preparedAs: prepared[form]))
        try flush(until: end)
        return try takeAnswer(until: end, mayBeStale: !isNew && prepared[form] != nil).get()
    }

    private func runTogether(
        _ statements: [Statement],
        until end: ContinuousClock.Instant
    ) throws(PostgreSQLError) -> [Rows] {
        var sent: [Sent] = []
        var new: [Form: String] = [:]
        for statement in statements {
            let parameters = EncodedParameters(statement.parameters)
            let form = Form(text: statement.text, types: parameters.types)
            if new[form] == nil, let name = newName(of: form, besides: new.count) {
                try check(sendPreparation(of: form, as: name))
                new[form] = name
                sent.append(.preparation(form, name: name))
            }
            try check(send(form, parameters, preparedAs: prepared[form] ?? new[form]))
            sent.append(.statement(mayBeStale: prepared[form] != nil))
        }
        try check(library.PQpipelineSync(handle))
        try flush(until: end)
        return try takeAnswers(to: sent, until: end)
    }

    /// What has been sent in a pipeline: each has an answer of its own.
    private enum Sent {
        case preparation(Form, name: String)
        /// A statement that was prepared before fits the tables no more, perhaps.
        case statement(mayBeStale: Bool)

        var mayBeStale: Bool { if case .statement(true) = self { true } else { false } }
    }

    /// The name under which to prepare a statement; `nil` if it is prepared, or not to be.
    private func newName(of form: Form, besides others: Int = 0) -> String? {
        let count = prepared.count + others
        guard settings.preparesStatements, prepared[form] == nil, count < Self.mostPrepared else {
            return nil
        }
        return "memo\(count)"
    }

    private func sendPreparation(of form: Form, as name: String) -> Int32 {
        library.PQsendPrepare(handle, name, form.text, Int32(form.types.count), form.types)
    }

    private func send(
        _ form: Form,
        _ parameters: EncodedParameters,
        preparedAs name: String?
    ) -> Int32 {
        parameters.withPointers { values, lengths, formats in
            let count = Int32(values.count)
            guard let name else {
                return library.PQsendQueryParams(
                    handle,
                    form.text,
                    count,
                    form.types,
                    values,
                    lengths,
                    formats,
                    1
                )
            }
            return library.PQsendQueryPrepared(handle, name, count, values, lengths, formats, 1)
        }
    }

    /// A call of libpq that sends answers 1, unless the connection is gone.
    private func check(_ code: Int32) throws(PostgreSQLError) {
        guard code != 1 else { return }
        giveUp()
        throw .lost
    }

    /// Hands everything to the system, and reads meanwhile: a server that waits for its answers to be
    /// read reads nothing itself.
    private func flush(until end: ContinuousClock.Instant) throws(PostgreSQLError) {
        while true {
            switch library.PQflush(handle) {
            case 0: return
            case 1: try wait(for: POLLIN | POLLOUT, until: end)
            default:
                // The reason may have come before the end of the connection: the answers tell.
                return
            }
        }
    }

    // MARK: Receiving

    private func takeAnswers(
        to sent: [Sent],
        until end: ContinuousClock.Instant
    ) throws(PostgreSQLError) -> [Rows] {
        var answers: [Rows] = []
        var failure: PostgreSQLError?
        for each in sent {
            switch (each, try takeAnswer(until: end, mayBeStale: each.mayBeStale)) {
            case (.preparation(let form, let name), .success): prepared[form] = name
            case (.statement, .success(let rows)): answers.append(rows)
            case (_, .failure(let error)): failure = failure ?? error
            }
        }
        guard let last = try takeResult(until: end) else { throw ended(with: .lost) }
        let status = library.PQresultStatus(last)
        library.PQclear(last)
        guard status == memo_pq_pipeline_sync else { throw ended(with: failure ?? .lost) }
        if let failure { throw failure }
        return answers
    }

    /// The answer to one statement, up to the end that libpq marks by a missing result.
    ///
    /// - Returns: A failure that leaves the connection in use, as well as rows.
    /// - Throws: A failure that ended the connection.
    private func takeAnswer(
        until end: ContinuousClock.Instant,
        mayBeStale: Bool
    ) throws(PostgreSQLError) -> Result<Rows, PostgreSQLError> {
        var answer: Result<Rows, PostgreSQLError>?
        while let result = try takeResult(until: end) {
            // A statement has one result; a further one says why the connection ends.
            if let failure = failure(of: result) {
                answer = .failure(failure)
            } else if answer == nil {
                answer = .success(Rows(result, of: library))
                continue
            }
            library.PQclear(result)
        }
        guard library.PQstatus(handle) == memo_pq_connection_ok, let answer else {
            if case .failure(let error) = answer { throw ended(with: error) }
            throw ended(with: .lost)
        }
        guard case .failure(.conflict(let state)) = answer, state == .notSupported else {
            return answer
        }
        // What this connection has prepared is of no use any more; or the server has no such statement.
        guard mayBeStale else { return .failure(.refused(state)) }
        throw ended(with: .conflict(state))
    }

    private func failure(of result: OpaquePointer) -> PostgreSQLError? {
        switch Int(library.PQresultStatus(result)) {
        case memo_pq_command_ok, memo_pq_tuples_ok: return nil
        case memo_pq_pipeline_aborted: return .rolledBack
        default:
            // Without a code the error is libpq's own: the connection broke.
            let code = library.PQresultErrorField(result, Int32(memo_pq_field_sqlstate))
            return code.flatMap { SQLState(String(cString: $0)) }.map { PostgreSQLError($0) }
                ?? .lost
        }
    }

    /// The next result; `nil` at the end of a statement's results.
    private func takeResult(
        until end: ContinuousClock.Instant
    ) throws(PostgreSQLError) -> OpaquePointer? {
        while library.PQisBusy(handle) != 0 { try wait(for: POLLIN, until: end) }
        return library.PQgetResult(handle)
    }

    /// Waits for the socket, and reads what has come.
    private func wait(
        for events: Int32,
        until end: ContinuousClock.Instant
    ) throws(PostgreSQLError) {
        var socket = pollfd(fd: library.PQsocket(handle), events: Int16(events), revents: 0)
        let left = ContinuousClock.now.duration(to: end) / .milliseconds(1)
        guard left > 0 else { throw ended(with: .silent) }
        let count = poll(&socket, 1, Int32(min(left, 60_000)) + 1)
        guard count > 0 else { return }
        guard library.PQconsumeInput(handle) == 1 || library.PQisBusy(handle) == 0 else {
            throw ended(with: .lost)
        }
    }

    /// Gives the connection up.
    ///
    /// - Returns: The error, to be thrown.
    private func ended(with error: PostgreSQLError) -> PostgreSQLError {
        giveUp()
        return error
    }

    /// Ends the connection: the server rolls back what is open.
    func giveUp() {
        guard !isGivenUp else { return }
        isGivenUp = true
        library.PQfinish(handle)
    }
}
