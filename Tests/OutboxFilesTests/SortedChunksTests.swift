import OutboxTesting
import TestSeeds
import Testing

@testable import OutboxFiles

@Suite struct SortedChunksTests {
    @Test(
        "chunks hold what a sorted array holds, whatever is inserted and removed",
        arguments: TestSeeds["sorted-chunks"]
    )
    func model(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        for range in [20, 3000, 1_000_000] {
            var chunks = SortedChunks<Int>()
            var model: Set<Int> = []
            for step in 0..<6000 {
                let value = Int.random(in: 0..<range, using: &random)
                if Int.random(in: 0..<3, using: &random) > 0 || step % 500 > 400 {
                    chunks.insert(value)
                    model.insert(value)
                } else {
                    chunks.remove(value)
                    model.remove(value)
                }
                guard step % 300 == 0 else { continue }
                let sorted = model.sorted()
                #expect(Array(chunks.values(after: nil)) == sorted, "seed \(seed)")
                #expect(Array(chunks.descending) == sorted.reversed(), "seed \(seed)")
                #expect(chunks.count == sorted.count && chunks.first == sorted.first)
                let after = Array(chunks.values(after: value))
                #expect(after == sorted.filter { $0 > value }, "seed \(seed)")
            }
        }
    }

    @Test("values that come in order, or leave in order, stay in order")
    func queue() {
        var chunks = SortedChunks<Int>()
        for value in 0..<5000 { chunks.insert(value) }
        #expect(Array(chunks.values(after: nil)) == Array(0..<5000))
        for value in 0..<4999 {
            #expect(chunks.first == value)
            chunks.remove(value)
        }
        #expect(chunks.count == 1 && Array(chunks.descending) == [4999])
    }
}
