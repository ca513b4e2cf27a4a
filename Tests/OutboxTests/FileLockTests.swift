import Foundation
import Outbox
import TemporaryFolders
import Testing

@Suite struct FileLockTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test("a lock excludes another until it is gone")
    func excludes() throws {
        var lock = try FileLock(path: folder.file("lock"))
        #expect(lock != nil)
        #expect(try FileLock(path: folder.file("lock")) == nil)
        lock = nil
        #expect(try FileLock(path: folder.file("lock")) != nil)
    }

    #if os(Linux)
        @Test("a lock is gone although a process that was just being started shares its file")
        func sharedWithChild() throws {
            var lock = try FileLock(path: folder.file("lock"))
            let shared = try #require(try folder.shareDescriptor(of: "lock"))
            defer { close(shared) }
            #expect(lock != nil)
            lock = nil
            #expect(try FileLock(path: folder.file("lock")) != nil)
        }
    #endif
}
