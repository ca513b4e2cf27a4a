#if os(Linux)
    import Foundation
    import Outbox
    import TemporaryFolders
    import Testing

    /// A process that is just being started has the locked files open as well, until it runs its
    /// own program.
    @Suite struct KeyLocksTests {
        private let folder: TemporaryFolder

        init() throws {
            folder = try TemporaryFolder()
        }

        @Test("who has changed keys keeps no other from it through a process that is being started")
        func changing() throws {
            let locks = KeyLocks(prefix: folder.file("key"))
            let shared = try locks.changing {
                try! folder.shareDescriptor(of: "key-lock")
            }
            defer { close(shared!) }
            #expect(isFree("key-lock"))
        }

        @Test("who no longer has the keys keeps no other from removing one either")
        func sharing() throws {
            var locks: KeyLocks? = KeyLocks(prefix: folder.file("key"))
            try locks?.share()
            let shared = try #require(try folder.shareDescriptor(of: "key-use"))
            defer { close(shared) }
            #expect(!isFree("key-use"))
            locks = nil
            #expect(isFree("key-use"))
        }

        @Test(
            "who has given the keys back for good keeps no other from removing one, and reads none"
        )
        func closed() throws {
            let locks = KeyLocks(prefix: folder.file("key"))
            try locks.share()
            locks.close()
            #expect(isFree("key-use"))
            #expect(throws: KeyStoreError.unreadable(code: EBADF)) { try locks.share() }
            #expect(isFree("key-use"))
        }

        private func isFree(_ name: String) -> Bool {
            let descriptor = open(folder.file(name), O_RDWR | O_CLOEXEC)
            defer { close(descriptor) }
            return flock(descriptor, LOCK_EX | LOCK_NB) == 0
        }
    }
#endif
