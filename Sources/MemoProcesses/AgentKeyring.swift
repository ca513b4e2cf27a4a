#if !canImport(Security)
    import LibC
    import MemoKit
    import Outbox
    import Synchronization

    /// The Secret Service, asked by way of `memo-agent keyring`: a process for each question, which
    /// loads libsecret, answers and ends. `memo`, a static executable, could not load libsecret,
    /// and the agent that delivers stays free of it.
    struct AgentKeyring: Keyring {
        private let agent: String?

        /// - Parameter agent: The program; `nil` for ``AgentProgram/located()``.
        init(agent: String?) {
            self.agent = agent
        }

        func item(_ name: String, access: KeyringAccess) -> any RemovableKeyPlace {
            AgentKeyringItem(agent: agent, name: name, access: access)
        }
    }

    private struct AgentKeyringItem: RemovableKeyPlace {
        let agent: String?
        let name: String
        let access: KeyringAccess

        func read() throws(KeyStoreError) -> [UInt8]? {
            switch try ask(.read) {
            case .done(let value): return value
            case .unchanged: return nil
            case .malformed: throw .malformed
            case .refused(let refusal): throw .withheld(refusal)
            }
        }

        func add(_ bytes: [UInt8]) throws(KeyStoreError) -> Bool {
            switch try ask(.add, bytes) {
            case .done: return true
            case .unchanged: return false
            case .malformed: throw .malformed
            case .refused(let refusal): throw .withheld(refusal)
            }
        }

        func replace(with bytes: [UInt8]) throws(KeyStoreError) {
            switch try ask(.replace, bytes) {
            case .done: return
            case .unchanged: throw .missing
            case .malformed: throw .malformed
            case .refused(let refusal): throw .withheld(refusal)
            }
        }

        func remove() throws(KeyStoreError) {
            switch try ask(.remove) {
            case .done, .unchanged: return
            case .malformed: throw .malformed
            case .refused(let refusal): throw .withheld(refusal)
            }
        }

        /// A person who has left a question unanswered is not asked again by the same process.
        private static let hasAsked = Atomic(false)

        private func ask(
            _ operation: KeyringRequest.Operation,
            _ value: [UInt8] = []
        ) throws(KeyStoreError) -> KeyringAnswer {
            guard SessionBus.isNamed, let program = agent ?? AgentProgram.located() else {
                throw .withheld(.unreachable)
            }
            let isPersonThere = access == .needed && isatty(STDERR_FILENO) == 1
            let mayAsk = isPersonThere && !Self.hasAsked.load(ordering: .relaxed)
            let patience: UInt32 =
                switch access {
                case .tentative: 2000
                case .needed: mayAsk ? 60_000 : 5000
                }
            let request = KeyringRequest(
                operation,
                mayAsk: mayAsk,
                patienceMilliseconds: patience,
                item: Array(name.utf8),
                value: value
            )
            let answer = try KeyringConversation.hold(with: program, about: request)
            if mayAsk, case .refused = answer { Self.hasAsked.store(true, ordering: .relaxed) }
            return answer
        }
    }

    /// One question to one process.
    private enum KeyringConversation {
        /// The wait for the answer beyond the process's own patience, in milliseconds: the process
        /// also makes a stored value durable.
        private static func grace(for operation: KeyringRequest.Operation) -> UInt32 {
            switch operation {
            case .read, .remove: 1000
            case .add, .replace: 60_000
            }
        }

        static func hold(
            with program: String,
            about request: KeyringRequest
        ) throws(KeyStoreError) -> KeyringAnswer {
            var ends: [Int32] = [-1, -1]
            guard socketpair(AF_UNIX, socketKind, 0, &ends) == 0 else {
                throw .unreadable(code: errno)
            }
            defer { close(ends[0]) }
            let process: pid_t
            do throws(SystemFailure) {
                defer { close(ends[1]) }
                process = try AgentProgram.start(program, ["keyring"], input: ends[1])
            } catch {
                throw .withheld(.unreachable)
            }
            let patience = Int(request.patienceMilliseconds + grace(for: request.operation))
            let reply = exchange(
                KeyringChannel.framed(request.encoded()),
                on: ends[0],
                patience: patience
            )
            // The process has answered, or must not answer any more.
            kill(process, SIGKILL)
            ChildProcess.wait(for: process)
            switch reply {
            case .late: throw .withheld(.silent)
            case .broken: throw .withheld(.failed)
            case .message(let bytes):
                guard let answer = KeyringAnswer(decoding: bytes) else {
                    throw .withheld(.failed)
                }
                return answer
            }
        }

        #if canImport(Musl)
            private static let socketKind = SOCK_STREAM | SOCK_CLOEXEC
        #else
            private static let socketKind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        #endif

        private enum Reply {
            case message([UInt8])
            case late
            case broken
        }

        private static func exchange(
            _ message: [UInt8],
            on socket: Int32,
            patience: Int
        ) -> Reply {
            // The message fits into the socket's buffer, so that sending does not wait.
            guard
                send(socket, message, message.count, Int32(MSG_NOSIGNAL)) == message.count
            else { return .broken }
            let end = ContinuousClock.now + .milliseconds(patience)
            var received: [UInt8] = []
            var length = 4
            var isHeader = true
            while received.count < length {
                var ready = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
                let left = ContinuousClock.now.duration(to: end) / .milliseconds(1)
                guard left > 0 else { return .late }
                guard poll(&ready, 1, Int32(left.rounded(.up))) > 0 else { continue }
                var bytes = [UInt8](repeating: 0, count: length - received.count)
                let count = recv(socket, &bytes, bytes.count, 0)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return .broken }
                received += bytes[..<count]
                if isHeader, received.count == length {
                    guard let announced = KeyringChannel.length(received) else { return .broken }
                    isHeader = false
                    received = []
                    length = announced
                }
            }
            return .message(received)
        }
    }
#endif
