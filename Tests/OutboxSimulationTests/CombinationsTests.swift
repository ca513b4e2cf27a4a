import OutboxTesting
import Testing

@Suite("Combinations")
struct CombinationsTests {
    private func visited(_ ways: [Int]) -> [[Int]] {
        var random = SeededRandom(seed: 1)
        var visited: [[Int]] = []
        Combinations(of: ways).forEach(using: &random) { visited.append($0) }
        return visited
    }

    @Test("few are all visited, each once", arguments: [[], [1], [5], [2, 3, 1, 4], [128]])
    func few(ways: [Int]) {
        let visited = visited(ways)
        #expect(visited.count == ways.reduce(1, *) && Set(visited).count == visited.count)
        #expect(visited.allSatisfy { zip($0, ways).allSatisfy { 0..<$1 ~= $0 } })
    }

    @Test("of many, both corners, all that differ from one in one thing, and others")
    func many() {
        let ways = [Int](repeating: 3, count: 6)
        let visited = visited(ways)
        for corner in [[Int](repeating: 0, count: 6), [Int](repeating: 1, count: 6)] {
            #expect(visited.contains(corner))
            for thing in ways.indices {
                for way in 0..<3 {
                    var near = corner
                    near[thing] = way
                    #expect(visited.contains(near))
                }
            }
        }
        #expect(visited.count == 2 * (1 + 6 * 2) + Combinations.limit / 2)
        #expect(visited.suffix(64).contains { Set($0).count == 3 })
    }

    @Test("one thing is left in each of its ways, however many")
    func alone() {
        #expect(Set(visited([500])) == Set((0..<500).map { [$0] }))
    }
}
