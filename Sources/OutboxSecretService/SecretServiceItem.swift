#if os(Linux)
    import LibC
    package import Outbox

    /// A key ring in one item of the Secret Service's default collection.
    ///
    /// The value is kept as text, hexadecimal digits: not every service keeps arbitrary bytes, and a
    /// person can look at it, and copy it, with the tools of their desktop.
    package struct SecretServiceItem: RemovableKeyPlace {
        private let attributes: [(name: String, value: String)]
        private let label: String
        private let mayAsk: Bool
        private let patience: Duration

        /// - Parameters:
        ///   - application: The name of the app, such as `org.example.app`.
        ///   - account: A name that distinguishes the storages of one app.
        ///   - label: The text that a person reads in the list of their passwords.
        ///   - mayAsk: Whether the service may ask the person to unlock the keyring.
        ///   - patience: The longest wait for the service and for the person.
        package init(
            application: String,
            account: String,
            label: String,
            mayAsk: Bool,
            patience: Duration
        ) {
            attributes = [
                ("xdg:schema", "\(application).key"), ("application", application),
                ("account", account),
            ]
            self.label = label
            self.mayAsk = mayAsk
            self.patience = patience
        }

        package func read() throws(KeyStoreError) -> [UInt8]? {
            let session = try session()
            guard let item = try session.item() else { return nil }
            return try Self.bytes(ofDigits: session.secret(of: item))
        }

        package func add(_ bytes: [UInt8]) throws(KeyStoreError) -> Bool {
            let session = try session()
            guard try !session.isThere() else { return false }
            try store(bytes, in: session)
            return true
        }

        package func replace(with bytes: [UInt8]) throws(KeyStoreError) {
            let session = try session()
            guard try session.item() != nil else { throw .missing }
            try store(bytes, in: session)
        }

        package func remove() throws(KeyStoreError) {
            let session = try session()
            if let item = try session.item() { try session.delete(item) }
        }

        /// The service may have written a file without syncing its folder, wherever that is, as
        /// GNOME Keyring does: what is sealed under a key must not be safer from a power cut than
        /// the key.
        private func store(
            _ bytes: [UInt8],
            in session: SecretServiceSession
        ) throws(KeyStoreError) {
            try session.store(Self.digits(of: bytes), label: label)
            sync()
        }

        private func session() throws(KeyStoreError) -> SecretServiceSession {
            try SecretServiceSession(attributes: attributes, mayAsk: mayAsk, patience: patience)
        }

        static func digits(of bytes: [UInt8]) -> [UInt8] {
            let digits = Array("0123456789abcdef".utf8)
            return bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        }

        static func bytes(ofDigits text: [UInt8]) throws(KeyStoreError) -> [UInt8] {
            guard text.count % 2 == 0 else { throw .malformed }
            var bytes: [UInt8] = []
            for index in stride(from: 0, to: text.count, by: 2) {
                let pair = String(decoding: text[index..<index + 2], as: UTF8.self)
                guard let byte = UInt8(pair, radix: 16), pair.first != "+" else {
                    throw .malformed
                }
                bytes.append(byte)
            }
            return bytes
        }
    }
#endif
