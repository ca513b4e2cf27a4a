#if os(Linux)
    import Dispatch
    import LibC
    import LibsecretShims
    import Outbox
    import Synchronization

    /// A conversation with the Secret Service about one item, with one time limit.
    ///
    /// Every call connects anew, so that it finds a restarted service. Secrets are encrypted on the
    /// bus in both directions (libsecret's `dh-ietf1024-sha256-aes128`).
    final class SecretServiceSession {
        typealias Object = memo_object

        private let library: memo_libsecret
        private let service: SecretObject
        private let cancellable: SecretObject
        private let deadline: Deadline
        private let attributes: [(name: String, value: String)]
        private let mayAsk: Bool

        /// - Throws: ``KeyStoreError/withheld(_:)``.
        init(
            attributes: [(name: String, value: String)],
            mayAsk: Bool,
            patience: Duration
        ) throws(KeyStoreError) {
            // Without a bus name, GLib would start its own bus, which has no service on it.
            guard SessionBus.isNamed, let library = Libsecret.functions,
                let cancellable = library.g_cancellable_new()
            else { throw .withheld(.unreachable) }
            self.library = library
            self.cancellable = SecretObject(cancellable, of: library)
            self.attributes = attributes
            self.mayAsk = mayAsk
            deadline = Deadline(cancelling: self.cancellable, after: patience)
            guard let service = Self.service(library, cancellable) else {
                let isLate = library.g_cancellable_is_cancelled(cancellable) != 0
                deadline.end()
                throw .withheld(isLate ? .silent : .unreachable)
            }
            self.service = service
        }

        deinit {
            deadline.end()
        }

        private static func service(_ library: memo_libsecret, _ cancellable: Object)
            -> SecretObject?
        {
            var error: Object?
            defer { if let error { library.g_error_free(error) } }
            let bus = library.g_bus_get_sync(Int32(memo_bus_session), cancellable, &error)
            guard let bus else { return nil }
            defer { library.g_object_unref(bus) }
            // By default GLib ends a process whose session bus goes away.
            library.g_dbus_connection_set_exit_on_close(bus, 0)
            let service = library.secret_service_open_sync(
                library.secret_service_get_type(),
                nil,
                Int32(memo_service_open_session | memo_service_load_collections),
                cancellable,
                &error
            )
            return service.map { SecretObject($0, of: library) }
        }

        /// Whether there is such an item where one can look, locked or not.
        func isThere() throws(KeyStoreError) -> Bool {
            try found() != nil
        }

        /// The item, unlocked; `nil` only when every collection was looked through.
        func item() throws(KeyStoreError) -> SecretObject? {
            if let item = try found() { return try unlocked(item) }
            // Some services do not show the items of a locked collection.
            let locked = lockedCollections()
            if locked.isEmpty { return nil }
            guard mayAsk else { throw .withheld(.locked) }
            for collection in locked { try unlock(collection.pointer) }
            return try found().map { (item) throws(KeyStoreError) in try unlocked(item) }
        }

        func secret(of item: SecretObject) throws(KeyStoreError) -> [UInt8] {
            try perform {
                library.secret_item_load_secret_sync(item.pointer, cancellable.pointer, $0) != 0
            }
            guard let value = library.secret_item_get_secret(item.pointer) else {
                throw .withheld(.failed)
            }
            defer { library.secret_value_unref(value) }
            var length = 0
            guard let text = library.secret_value_get(value, &length) else { return [] }
            return Array(UnsafeRawBufferPointer(start: text, count: length))
        }

        /// Stores `text` in the default collection. It replaces an item with the same attributes.
        func store(_ text: [UInt8], label: String) throws(KeyStoreError) {
            if !mayAsk {
                // The steps below would ask the person to make a collection, or to unlock it.
                guard let collection = try defaultCollection() else {
                    throw .withheld(.unreachable)
                }
                guard library.secret_collection_get_locked(collection.pointer) == 0 else {
                    throw .withheld(.locked)
                }
            }
            let value = text.withUnsafeBytes {
                library.secret_value_new(
                    $0.bindMemory(to: CChar.self).baseAddress,
                    text.count,
                    "text/plain"
                )
            }
            defer { library.secret_value_unref(value) }
            try withTable { (table) throws(KeyStoreError) in
                try perform {
                    library.secret_service_store_sync(
                        service.pointer,
                        nil,
                        table,
                        nil,
                        label,
                        value,
                        cancellable.pointer,
                        $0
                    )
                        != 0
                }
            }
        }

        func delete(_ item: SecretObject) throws(KeyStoreError) {
            try perform {
                library.secret_item_delete_sync(item.pointer, cancellable.pointer, $0) != 0
            }
        }

        // MARK: -

        private func found() throws(KeyStoreError) -> SecretObject? {
            var items: UnsafeMutablePointer<memo_list>?
            try withTable { (table) throws(KeyStoreError) in
                try perform { error in
                    items = library.secret_service_search_sync(
                        service.pointer,
                        nil,
                        table,
                        Int32(memo_search_all),
                        cancellable.pointer,
                        error
                    )
                    return true
                }
            }
            return taken(items).first
        }

        private func unlocked(_ item: SecretObject) throws(KeyStoreError) -> SecretObject {
            guard library.secret_item_get_locked(item.pointer) != 0 else { return item }
            guard mayAsk else { throw .withheld(.locked) }
            try unlock(item.pointer)
            // The object learns of it by a signal, which may come later than the answer.
            guard let fresh = try found(), library.secret_item_get_locked(fresh.pointer) == 0 else {
                throw .withheld(.locked)
            }
            return fresh
        }

        private func unlock(_ object: Object?) throws(KeyStoreError) {
            var one = memo_list(data: object, next: nil, previous: nil)
            var unlocked: UnsafeMutablePointer<memo_list>?
            do throws(KeyStoreError) {
                try perform { error in
                    library.secret_service_unlock_sync(
                        service.pointer,
                        &one,
                        cancellable.pointer,
                        &unlocked,
                        error
                    ) >= 0
                }
            } catch {
                // A question that was dismissed is an error for some services.
                throw error == .withheld(.silent) ? error : .withheld(.locked)
            }
            guard !taken(unlocked).isEmpty else { throw .withheld(.locked) }
        }

        private func lockedCollections() -> [SecretObject] {
            taken(library.secret_service_get_collections(service.pointer)).filter {
                library.secret_collection_get_locked($0.pointer) != 0
            }
        }

        private func defaultCollection() throws(KeyStoreError) -> SecretObject? {
            var collection: Object?
            try perform { error in
                collection = library.secret_collection_for_alias_sync(
                    service.pointer,
                    "default",
                    0,
                    cancellable.pointer,
                    error
                )
                return true
            }
            return collection.map { SecretObject($0, of: library) }
        }

        /// Takes over a list and the objects in it.
        private func taken(_ list: UnsafeMutablePointer<memo_list>?) -> [SecretObject] {
            defer { library.g_list_free(list) }
            var items: [SecretObject] = []
            var next = list
            while let entry = next {
                items.append(SecretObject(entry.pointee.data, of: library))
                next = entry.pointee.next
            }
            return items
        }

        private func withTable(
            _ body: (Object) throws(KeyStoreError) -> Void
        ) throws(KeyStoreError) {
            let texts = attributes.flatMap { [strdup($0.name)!, strdup($0.value)!] }
            defer { for text in texts { free(text) } }
            guard
                let table = library.g_hash_table_new(library.g_str_hash, library.g_str_equal)
            else { throw .withheld(.failed) }
            defer { library.g_hash_table_unref(table) }
            for index in stride(from: 0, to: texts.count, by: 2) {
                _ = library.g_hash_table_insert(table, texts[index], texts[index + 1])
            }
            try body(table)
        }

        private func perform(
            _ call: (UnsafeMutablePointer<Object?>) -> Bool
        ) throws(KeyStoreError) {
            var error: Object?
            let isDone = call(&error)
            let isFailed = error != nil
            if let error { library.g_error_free(error) }
            guard isFailed || !isDone else { return }
            let isLate = library.g_cancellable_is_cancelled(cancellable.pointer) != 0
            throw .withheld(isLate ? .silent : .failed)
        }
    }

    /// Cancels the running call when its time is over.
    final class Deadline: Sendable {
        /// A `GCancellable`, which any thread may cancel.
        private let target: Mutex<SecretObject?>

        init(cancelling cancellable: SecretObject, after wait: Duration) {
            target = Mutex(cancellable)
            let (seconds, attoseconds) = wait.components
            let nanoseconds = Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000)
            DispatchQueue.global().asyncAfter(deadline: .now() + .nanoseconds(nanoseconds)) {
                guard let target = self.target.withLock({ $0 }) else { return }
                target.library.g_cancellable_cancel(target.pointer)
            }
        }

        /// Ends the deadline: it cancels no later call.
        func end() {
            target.withLock { $0 = nil }
        }
    }
#endif
