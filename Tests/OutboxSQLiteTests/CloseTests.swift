#if os(Linux)
    import Outbox
    import OutboxCore
    import OutboxSQLite
    import OutboxTesting
    import TemporaryFolders
    import Testing
    import WatchedFiles

    /// What an app that moves, replaces or deletes its storage relies on.
    @Suite(.timeLimit(.minutes(60))) struct CloseTests {
        private let keys = MemoryKeyStore(keys: [.random()])

        @Test("once closed, no thread has a file of the database open, whatever it did before")
        func descriptors() async throws {
            let folder = try TemporaryFolder()
            for _ in 0..<100 {
                let storage = try SQLiteStorage(path: folder.file("outbox.sqlite"))
                let outbox = Outbox(storage: storage, keys: keys)
                let drain = Task { try await outbox.drain(["note": { _ in .done }]) }
                try await withThrowingTaskGroup { tasks in
                    for _ in 0..<5 {
                        tasks.addTask {
                            try await outbox.enqueue(kind: "note", payload: [1])
                        }
                    }
                    try await tasks.waitForAll()
                }
                await outbox.close()
                #expect(try folder.openFiles() == [])
                _ = try? await drain.value
            }
        }

        @Test("another database may take the place of one that is closed, at once")
        func replaced() async throws {
            let folder = try WatchedFolder()
            for number in 0..<50 {
                try folder.replace(with: [:])
                let storage = try SQLiteStorage(path: folder.file("outbox.sqlite"))
                let outbox = Outbox(storage: storage, keys: keys)
                for _ in 0..<number % 4 { try await outbox.enqueue(kind: "note", payload: [1]) }
                #expect(try outbox.counts() == OutboxCounts(queued: number % 4))
                try await outbox.drain(["note": { _ in .done }], until: .idle)
                await outbox.close()
            }
        }

        @Test("a claim outlives its storage, and is given up by itself")
        func claim() throws {
            let folder = try TemporaryFolder()
            let storage = try SQLiteStorage(path: folder.file("outbox.sqlite"))
            var claim = try storage.claimDrain()
            storage.close()
            #expect(try folder.openFiles() == [folder.file("outbox.sqlite-drain")])
            withExtendedLifetime(claim) {}
            claim = nil
            #expect(try folder.openFiles() == [])
        }
    }
#endif
