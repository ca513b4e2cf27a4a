#if os(Linux)
    import ConnectivityCore
    import LibC

    /// The files of sysfs about an interface.
    ///
    /// - SeeAlso: [sysfs-class-net](https://docs.kernel.org/admin-guide/abi-testing.html)
    struct InterfaceFiles: Sendable {
        var folder = "/sys/class/net"

        /// `unknown` when the folder is that of another network namespace.
        func connectionType(name: String, index: Int32) -> ConnectionType {
            // As the kernel allows them: dev_valid_name() in net/core/dev.c.
            guard !name.isEmpty, name.utf8.count < 16, name != ".", name != "..",
                !name.utf8.contains(where: { $0 == 0x2f || $0 <= 0x20 }),
                Int32(text("\(name)/ifindex")) == index
            else { return .unknown }
            let kind = text("\(name)/uevent").split(separator: "\n")
                .first { $0.hasPrefix("DEVTYPE=") }?.dropFirst("DEVTYPE=".count)
            // ARPHRD_ of linux/if_arp.h.
            let hardware = Int(text("\(name)/type"))
            if kind == "wlan" || exists("\(name)/wireless") || exists("\(name)/phy80211") {
                return .wifi
            }
            // ARPHRD_RAWIP is what modems present.
            if kind == "wwan" || hardware == 519 { return .cellular }
            // A tunnel may call itself Ethernet, and so does a telephone by Bluetooth.
            if kind == "bluetooth" || exists("\(name)/tun_flags") { return .unknown }
            return hardware == 1 ? .ethernet : .unknown
        }

        private func exists(_ path: String) -> Bool {
            access("\(folder)/\(path)", F_OK) == 0
        }

        /// The first 4096 bytes of a file without the last line end; empty when the file cannot be
        /// read.
        private func text(_ path: String) -> String {
            let descriptor = open("\(folder)/\(path)", O_RDONLY | O_CLOEXEC | O_NONBLOCK)
            guard descriptor >= 0 else { return "" }
            defer { close(descriptor) }
            var bytes = [UInt8](repeating: 0, count: 4096)
            let count = read(descriptor, &bytes, bytes.count)
            let text = String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self)
            return text.hasSuffix("\n") ? String(text.dropLast()) : text
        }
    }
#endif
