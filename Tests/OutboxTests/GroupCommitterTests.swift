import Dispatch
import Synchronization
import Testing
import Waiting

@testable import Outbox

// The time limit ends a test that hangs; no test comes near it.
@Suite("A group commit", .timeLimit(.minutes(60)))
struct GroupCommitterTests {
    private enum Failure: Error, Equatable {
        case ofWork(Int)
        case ofCommit
    }

    /// What is committed, and the batches that were tried. A batch that holds a bad number fails; a
    /// refused number fails by itself. Those from 100 on wait for others.
    private final class Disk: Sendable {
        let batches = Mutex<[[Int]]>([])
        private let gate = DispatchSemaphore(value: 0)
        private let begun: AsyncStream<Void>.Continuation
        let beginnings: AsyncStream<Void>
        let bad: Set<Int>
        let refused: Set<Int>

        init(bad: Set<Int> = [], refused: Set<Int> = []) {
            self.bad = bad
            self.refused = refused
            (beginnings, begun) = AsyncStream.makeStream()
        }

        /// Number 0 holds the commit up until ``open()``.
        func commit(
            _ numbers: [Int],
            _ isAwaited: () -> Bool
        ) throws -> [Result<Void, any Error>] {
            batches.withLock { $0.append(numbers) }
            var results: [Result<Void, any Error>] = []
            for (index, number) in numbers.enumerated() {
                if index > 0, numbers[index - 1] >= 100, isAwaited() { break }
                if number == 0 {
                    begun.yield()
                    gate.wait()
                }
                results.append(
                    refused.contains(number) ? .failure(Failure.ofWork(number)) : .success(())
                )
            }
            guard bad.isDisjoint(with: numbers.prefix(results.count)) else {
                throw Failure.ofCommit
            }
            return results
        }

        func open() { gate.signal() }
    }

    private final class Course: Sendable {
        let isClosed = Mutex(false)
        let isRefused = Mutex(false)
    }

    /// Has the numbers committed by callers that come, in their order, while a first commit is held up.
    private func commit(_ numbers: [Int], to disk: Disk) async throws -> [Int: Failure] {
        let committer = GroupCommitter<Int>(label: "test") { try disk.commit($0, $1) }
        return try await withThrowingTaskGroup(of: (Int, Failure?).self) { group in
            group.addTask {
                try await committer.commit(0)
                return (0, nil)
            }
            for await _ in disk.beginnings { break }
            for (index, number) in numbers.enumerated() {
                group.addTask {
                    do {
                        try await committer.commit(number, isBehind: number >= 100)
                        return (number, nil)
                    } catch let failure as Failure {
                        return (number, failure)
                    }
                }
                try await waitUntil { committer.waiting > index }
            }
            disk.open()
            var failures: [Int: Failure] = [:]
            for try await (number, failure) in group { failures[number] = failure }
            return failures
        }
    }

    @Test("takes all that have come, in their order, those that wait for others at the end")
    func shared() async throws {
        let disk = Disk()
        #expect(try await commit([1, 100, 2, 101, 3], to: disk).isEmpty)
        #expect(disk.batches.withLock { $0 } == [[0], [1, 2, 3, 100, 101]])
    }

    @Test("takes a bounded number, so that the first caller does not wait for ever")
    func bounded() async throws {
        let disk = Disk()
        let numbers = (0..<300).map { $0 + 100 }
        #expect(try await commit(numbers, to: disk).isEmpty)
        #expect(disk.batches.withLock { $0.map(\.count) } == [1, 256, 44])
        #expect(disk.batches.withLock { Array($0.joined().dropFirst()) } == numbers)
    }

    @Test("that fails is repeated with each work alone, and only the cause fails")
    func failing() async throws {
        let disk = Disk(bad: [2])
        #expect(try await commit([1, 2, 3], to: disk) == [2: .ofCommit])
        #expect(disk.batches.withLock { $0 } == [[0], [1, 2, 3], [1], [2], [3]])
    }

    @Test("tells each work its own failure")
    func refused() async throws {
        let disk = Disk(refused: [1, 3])
        #expect(try await commit([1, 2, 3], to: disk) == [1: .ofWork(1), 3: .ofWork(3)])
        #expect(disk.batches.withLock { $0.count } == 2)
    }

    @Test("leaves works that wait for others to the next one, where others have come")
    func behind() async throws {
        let disk = Disk()
        let committer = GroupCommitter<Int>(label: "test") { try disk.commit($0, $1) }
        var begun = disk.beginnings.makeAsyncIterator()
        try await withThrowingTaskGroup(of: Void.self) { group in
            func add(_ number: Int, waiting count: Int) async throws {
                group.addTask { try await committer.commit(number, isBehind: number >= 100) }
                try await waitUntil { committer.waiting >= count }
            }
            group.addTask { try await committer.commit(0) }
            _ = await begun.next()
            for (index, number) in [100, 101, 102, 0].enumerated() {
                try await add(number, waiting: index + 1)
            }
            disk.open()
            // The commit that begins with the second 0, and could take all that wait for others.
            _ = await begun.next()
            try await add(1, waiting: 1)
            disk.open()
            try await group.waitForAll()
        }
        let batches = disk.batches.withLock { $0 }
        #expect(batches == [[0], [0, 100, 101, 102], [1, 101, 102]])
    }

    @Test("takes the work of a blocked thread with the others, and answers it")
    func blocking() async throws {
        let disk = Disk(refused: [2])
        let committer = GroupCommitter<Int>(label: "test") { try disk.commit($0, $1) }
        @Sendable func failure(ofBlockingCommit number: Int) async -> Failure? {
            await withCheckedContinuation { continuation in
                DispatchQueue(label: "blocked").async {
                    let result = Result { try committer.commitBlocking(number) }
                    switch result {
                    case .success: continuation.resume(returning: nil)
                    case .failure(let error): continuation.resume(returning: error as? Failure)
                    }
                }
            }
        }
        let first = Task { try await committer.commit(0) }
        for await _ in disk.beginnings { break }
        async let accepted = failure(ofBlockingCommit: 1)
        try await waitUntil { committer.waiting == 1 }
        async let refused = failure(ofBlockingCommit: 2)
        try await waitUntil { committer.waiting == 2 }
        disk.open()
        try await first.value
        #expect(await accepted == nil)
        #expect(await refused == .ofWork(2))
        #expect(disk.batches.withLock { $0 } == [[0], [1, 2]])
        await committer.close()
        #expect(throws: StorageError.closed) { try committer.commitBlocking(3) }
    }

    @Test("is closed once the earlier callers are answered, and refuses later ones")
    func closing() async throws {
        let disk = Disk()
        let committer = GroupCommitter<Int>(label: "test") { try disk.commit($0, $1) }
        let first = Task { try await committer.commit(0) }
        for await _ in disk.beginnings { break }
        let second = Task { try await committer.commit(1) }
        try await waitUntil { committer.waiting == 1 }
        let course = Course()
        let closing = Task {
            await committer.close()
            course.isClosed.withLock { $0 = true }
        }
        // Callers are taken until the closing begins.
        let probing = Task {
            try await withThrowingTaskGroup(of: Void.self) { group in
                while !course.isRefused.withLock({ $0 }) {
                    group.addTask {
                        do {
                            try await committer.commit(2)
                        } catch {
                            course.isRefused.withLock { $0 = true }
                        }
                    }
                    try await Task.sleep(for: .milliseconds(1))
                }
                #expect(!course.isClosed.withLock { $0 })
                disk.open()
                try await group.waitForAll()
            }
        }
        await closing.value
        try await probing.value
        try await first.value
        try await second.value
        await #expect(throws: StorageError.closed) { try await committer.commit(3) }
        #expect(disk.batches.withLock { Set($0.joined()) }.isSubset(of: [0, 1, 2]))
    }
}
