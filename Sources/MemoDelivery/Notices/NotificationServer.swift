#if os(Linux)
    import Dispatch
    import GIOShims
    import Outbox

    /// The program of the person's desktop that shows notifications, behind the session bus: everything that
    /// speaks `org.freedesktop.Notifications`, after the
    /// [Desktop Notifications Specification](https://specifications.freedesktop.org/notification-spec/latest/).
    ///
    /// One thread makes it and uses it. GIO is loaded with the first one.
    final class NotificationServer {
        /// What the server tells of a notification.
        enum Event: Hashable {
            /// The person has pressed this button.
            case pressed(UInt32, button: String)
            /// The notification is gone.
            case closed(UInt32)
            /// The server, or its bus, is gone, and with it every notification.
            case ended
        }

        /// A button: what the server tells when it is pressed, and what it says.
        struct Button: Hashable {
            let name: String
            let label: String
        }

        /// A notification's urgency, by the specification's numbers. One of low urgency enters the desktop's list
        /// and interrupts nobody.
        enum Urgency: UInt8 {
            case low, normal
        }

        private static let name = "org.freedesktop.Notifications"
        private static let path = "/org/freedesktop/Notifications"
        private static let library: memo_gio? = {
            var library = memo_gio()
            return memo_gio_load(&library) != 0 ? library : nil
        }()

        private let library: memo_gio
        private let connection: UnsafeMutableRawPointer
        private let context: UnsafeMutableRawPointer
        private let inbox: Inbox
        private let patience: Duration
        private var subscriptions: [UInt32] = []
        /// Whether the server shows buttons.
        private(set) var hasButtons = false

        /// Connects to the server, which the bus starts where it can.
        ///
        /// - Parameter patience: The longest wait for the bus, and for each answer.
        /// - Returns: `nil` without GIO, a session bus, or a server that answers.
        init?(patience: Duration) {
            // Without a bus name, GLib would start its own bus, which has no server on it.
            guard SessionBus.isNamed, let library = Self.library,
                let connection = Self.connection(library, patience),
                let context = library.g_main_context_new()
            else { return nil }
            self.library = library
            self.connection = connection
            self.context = context
            self.patience = patience
            inbox = Inbox(library)
            // By default GLib ends a process whose session bus goes away.
            library.g_dbus_connection_set_exit_on_close(connection, 0)
            // Signals come to the context of the thread that has asked for them.
            library.g_main_context_push_thread_default(context)
            listen(to: "ActionInvoked", of: Self.name, at: Self.path)
            listen(to: "NotificationClosed", of: Self.name, at: Self.path)
            let bus = "org.freedesktop.DBus"
            listen(to: "NameOwnerChanged", of: bus, at: "/org/freedesktop/DBus", about: Self.name)
            guard let capabilities = call("GetCapabilities", answering: "(as)")?[0] else {
                return nil
            }
            hasButtons = (0..<capabilities.count).contains { capabilities[$0].text == "actions" }
        }

        deinit {
            for each in subscriptions {
                library.g_dbus_connection_signal_unsubscribe(connection, each)
            }
            library.g_main_context_pop_thread_default(context)
            library.g_main_context_unref(context)
            library.g_object_unref(connection)
        }

        /// Has the server show a notification.
        ///
        /// - Parameter replaced: A notification whose place it takes; 0 for none.
        /// - Returns: The notification's number; `nil` where the server has not taken it.
        func show(
            _ text: String,
            buttons: [Button] = [],
            urgency: Urgency = .normal,
            replacing replaced: UInt32 = 0
        ) -> UInt32? {
            let actions = buttons.flatMap { [$0.name, $0.label] }.map(Self.quoted)
            let arguments = """
                ("Simple Memo", \(replaced), "", "Simple Memo", \(Self.quoted(text)), \
                [\(actions.joined(separator: ", "))], {"urgency": <byte \(urgency.rawValue)>}, -1)
                """
            return call("Notify", arguments, of: "(susssasa{sv}i)", answering: "(u)")?[0].number
        }

        /// Takes a notification back. One that is gone already is not an error.
        func close(_ notification: UInt32) {
            _ = call("CloseNotification", "(\(notification),)", of: "(u)", answering: "()")
        }

        /// Waits for events.
        ///
        /// - Parameter wait: The longest wait.
        func events(within wait: Duration) -> [Event] {
            let end = ContinuousClock.now + wait
            while inbox.events.isEmpty {
                if library.g_dbus_connection_is_closed(connection) != 0 { return [.ended] }
                let left = ContinuousClock.now.duration(to: end) / .milliseconds(1)
                guard left > 0, let alarm = library.g_timeout_source_new(UInt32(left.rounded(.up)))
                else { break }
                library.g_source_set_callback(alarm, { _ in 0 }, nil, nil)
                _ = library.g_source_attach(alarm, context)
                _ = library.g_main_context_iteration(context, 1)
                library.g_source_destroy(alarm)
                library.g_source_unref(alarm)
            }
            defer { inbox.events = [] }
            return inbox.events
        }

        // MARK: -

        private static func connection(
            _ library: memo_gio,
            _ patience: Duration
        ) -> UnsafeMutableRawPointer? {
            guard let made = library.g_cancellable_new() else { return nil }
            let cancellable = Cancellable(made, of: library)
            DispatchQueue.global().asyncAfter(deadline: .now() + patience / .seconds(1)) {
                // Where the connection is there already, this cancels nothing.
                library.g_cancellable_cancel(cancellable.pointer)
            }
            return library.g_bus_get_sync(
                Int32(memo_gio_session_bus),
                cancellable.pointer,
                nil
            )
        }

        /// What stops a connection that takes too long. Any thread may use it.
        private final class Cancellable: Sendable {
            nonisolated(unsafe) let pointer: UnsafeMutableRawPointer
            private let library: memo_gio

            init(_ pointer: UnsafeMutableRawPointer, of library: memo_gio) {
                self.pointer = pointer
                self.library = library
            }

            deinit {
                library.g_object_unref(pointer)
            }
        }

        private func listen(
            to member: String,
            of sender: String,
            at path: String,
            about argument: String? = nil
        ) {
            subscriptions.append(
                library.g_dbus_connection_signal_subscribe(
                    connection,
                    sender,
                    sender,
                    member,
                    path,
                    argument,
                    0,
                    { _, _, _, _, member, values, inbox in
                        guard let member, let values, let inbox else { return }
                        Unmanaged<Inbox>.fromOpaque(inbox).takeUnretainedValue()
                            .take(String(cString: member), values)
                    },
                    Unmanaged.passUnretained(inbox).toOpaque(),
                    nil
                )
            )
        }

        private func call(
            _ method: String,
            _ arguments: String? = nil,
            of type: String = "()",
            answering answer: String
        ) -> Values? {
            var parameters: Values?
            if let arguments {
                parameters = library.g_variant_parse(type, arguments, nil, nil, nil)
                    .map { Values($0, of: library) }
                guard parameters != nil else { return nil }
            }
            return library.g_dbus_connection_call_sync(
                connection,
                Self.name,
                Self.path,
                Self.name,
                method,
                parameters?.pointer,
                answer,
                0,
                Int32(patience / .milliseconds(1)),
                nil,
                nil
            ).map { Values($0, of: library) }
        }

        /// A text in the notation of GVariant.
        static func quoted(_ text: String) -> String {
            var quoted = "\""
            for scalar in text.unicodeScalars {
                if scalar == "\"" || scalar == "\\" { quoted += "\\" }
                quoted.unicodeScalars.append(scalar)
            }
            return quoted + "\""
        }
    }

    /// A tuple of GVariant's, owned.
    private final class Values {
        let pointer: UnsafeMutableRawPointer
        private let library: memo_gio

        init(_ pointer: UnsafeMutableRawPointer, of library: memo_gio) {
            self.pointer = pointer
            self.library = library
        }

        deinit {
            library.g_variant_unref(pointer)
        }

        subscript(index: Int) -> Values {
            Values(library.g_variant_get_child_value(pointer, index)!, of: library)
        }

        var count: Int { library.g_variant_n_children(pointer) }
        var number: UInt32 { library.g_variant_get_uint32(pointer) }
        var text: String { String(cString: library.g_variant_get_string(pointer, nil)!) }
    }

    /// The events that have arrived, in their order.
    private final class Inbox {
        private let library: memo_gio
        var events: [NotificationServer.Event] = []

        init(_ library: memo_gio) {
            self.library = library
        }

        /// Takes a signal. One whose values are of another type than its specification says is none.
        func take(_ signal: String, _ pointer: UnsafeMutableRawPointer) {
            let values = Values(library.g_variant_ref(pointer)!, of: library)
            func isOf(_ type: String) -> Bool { library.g_variant_is_of_type(pointer, type) != 0 }
            switch signal {
            case "ActionInvoked" where isOf("(us)"):
                events.append(.pressed(values[0].number, button: values[1].text))
            case "NotificationClosed" where isOf("(uu)"):
                events.append(.closed(values[0].number))
            case "NameOwnerChanged" where isOf("(sss)") && values[2].text.isEmpty:
                events.append(.ended)
            default: break
            }
        }
    }
#endif
