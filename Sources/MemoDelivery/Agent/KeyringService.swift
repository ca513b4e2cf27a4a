#if os(Linux)
    import LibC
    import MemoKit
    import MemoProcesses
    import Outbox
    import OutboxSecretService

    /// Answers one question about the person's keyring; see ``MemoProcesses/KeyringRequest``.
    public enum KeyringService {
        /// Reads a question from a socket, and answers on it.
        ///
        /// - Returns: `false` when the socket brought no question.
        public static func answer(on socket: Int32) -> Bool {
            var status = stat()
            guard fstat(socket, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK,
                let length = message(of: 4, from: socket).flatMap(KeyringChannel.length),
                let bytes = message(of: length, from: socket),
                let request = KeyringRequest(decoding: bytes)
            else { return false }
            var rest = KeyringChannel.framed(answer(to: request).encoded())[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes {
                    send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return false }
                rest = rest.dropFirst(count)
            }
            return true
        }

        private static func answer(to request: KeyringRequest) -> KeyringAnswer {
            let item = SecretServiceItem(
                application: "simple-memo",
                account: String(decoding: request.item, as: UTF8.self),
                label: "Simple Memo",
                mayAsk: request.mayAsk,
                patience: .milliseconds(Int64(request.patienceMilliseconds))
            )
            do throws(KeyStoreError) {
                switch request.operation {
                case .read: return try item.read().map { .done($0) } ?? .unchanged
                case .add: return try item.add(request.value) ? .done([]) : .unchanged
                case .replace: try item.replace(with: request.value)
                case .remove: try item.remove()
                }
                return .done([])
            } catch {
                switch error {
                case .withheld(let refusal): return .refused(refusal)
                case .missing: return .unchanged
                case .malformed: return .malformed
                case .unreadable, .permissionsTooWide, .cannotCreate: return .refused(.failed)
                }
            }
        }

        private static func message(of length: Int, from socket: Int32) -> [UInt8]? {
            var bytes = [UInt8](repeating: 0, count: length)
            var filled = 0
            while filled < length {
                let count = bytes.withUnsafeMutableBytes {
                    recv(socket, $0.baseAddress! + filled, $0.count - filled, 0)
                }
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return nil }
                filled += count
            }
            return bytes
        }
    }
#endif
