internal import Foundation

#if canImport(Network)
    internal import Network
#endif

/// Tells when the network may have come back.
///
/// It never tells that the relay answers: only an attempt does.
enum NetworkReturn {
    /// Calls `returned` each time there are routes that were not there before. Runs until the task
    /// is cancelled.
    static func watch(_ returned: @Sendable () -> Void) async {
        #if canImport(Network)
            var wasSatisfied = true
            for await path in NWPathMonitor() {
                let isSatisfied = path.status == .satisfied
                if isSatisfied, !wasSatisfied { returned() }
                wasSatisfied = isSatisfied
            }
        #else
            var before = routes()
            while (try? await Task.sleep(for: .seconds(15))) != nil {
                let now = routes()
                if !now.isSubset(of: before) { returned() }
                before = now
            }
        #endif
    }

    #if os(Linux)
        /// The routing table without its counters, loopback left out. Reading it costs microseconds
        /// and wakes nothing.
        static func routes() -> Set<String> {
            routes(
                version4: text(of: "/proc/net/route"),
                version6: text(of: "/proc/net/ipv6_route")
            )
        }

        /// - Parameters: What the two files of the kernel say.
        static func routes(version4: String, version6: String) -> Set<String> {
            let version4 = lines(version4).dropFirst().map { fields in
                fields.prefix(3).joined(separator: " ")
            }
            let version6 = lines(version6).map { fields in
                ([fields.last ?? ""] + fields.prefix(5)).joined(separator: " ")
            }
            return Set(version4).union(version6).filter { !$0.hasPrefix("lo ") }
        }

        private static func text(of path: String) -> String {
            FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) }
                ?? ""
        }

        private static func lines(_ text: String) -> [[Substring]] {
            text.split(separator: "\n").map {
                $0.split(whereSeparator: { $0 == " " || $0 == "\t" })
            }
        }
    #endif
}
