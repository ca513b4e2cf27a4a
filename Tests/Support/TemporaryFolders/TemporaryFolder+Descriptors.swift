#if os(Linux)
    import Foundation

    extension TemporaryFolder {
        /// A second descriptor of a file that this process has open, as a process that is just
        /// being started has one until it runs its own program: both share one lock.
        ///
        /// - Returns: For the caller to close; `nil` when the file is not open.
        package func shareDescriptor(of name: String) throws -> Int32? {
            let all = "/proc/self/fd"
            let numbers = try FileManager.default.contentsOfDirectory(atPath: all)
            let held = numbers.compactMap { Int32($0) }.first {
                let target = try? FileManager.default.destinationOfSymbolicLink(
                    atPath: "\(all)/\($0)"
                )
                return target == file(name)
            }
            return held.map { dup($0) }
        }

        /// The files in this folder that this process has open, by their paths; one that was
        /// deleted by the path that it had.
        package func openFiles() throws -> [String] {
            let all = "/proc/self/fd"
            return try FileManager.default.contentsOfDirectory(atPath: all).compactMap { number in
                try? FileManager.default.destinationOfSymbolicLink(atPath: "\(all)/\(number)")
            }.filter { $0.hasPrefix(path + "/") }.sorted()
        }
    }
#endif
