import Testing

@testable import RelayRules

@Suite("The dead letters of one transaction")
struct LetterBatchTests {
    @Test("are as many as the bound on bytes and on letters allows, and at least one")
    func count() {
        let most = LetterBatch.bytes
        #expect(LetterBatch.count(of: []) == 0)
        #expect(LetterBatch.count(of: [most + 1]) == 1)
        #expect(LetterBatch.count(of: [most + 1, 0]) == 1)
        #expect(LetterBatch.count(of: [most, 0, 1]) == 2)
        #expect(LetterBatch.count(of: [1, most, 1]) == 1)
        #expect(LetterBatch.count(of: [1, most - 1, 1]) == 2)
        #expect(LetterBatch.count(of: Array(repeating: 1, count: 99)) == LetterBatch.letters)
    }
}
