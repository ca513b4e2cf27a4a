import OutboxTesting
import Testing
import WebClient

@Suite struct HeapTests {
    /// Memory as the module has it: new pages follow the old ones, unless another has taken some.
    private final class Pages {
        private let start = UnsafeMutableRawPointer.allocate(byteCount: 1 << 26, alignment: 65_536)
        private(set) var grown = 0
        var isEmpty = false
        /// The bytes that another takes before each growth, and fills.
        var gap = 0
        private var gaps: [UnsafeRawBufferPointer] = []

        var areGapsWhole: Bool { gaps.allSatisfy { $0.allSatisfy { $0 == 0xEE } } }

        deinit { start.deallocate() }

        func grow(_ length: Int) -> UnsafeMutableRawPointer? {
            guard !isEmpty, grown + gap + length <= 1 << 26 else { return nil }
            let pages = start + grown + gap
            (start + grown).initializeMemory(as: UInt8.self, repeating: 0xEE, count: gap)
            gaps.append(UnsafeRawBufferPointer(start: start + grown, count: gap))
            pages.initializeMemory(as: UInt8.self, repeating: 0, count: length)
            grown += gap + length
            return pages
        }
    }

    private struct Block {
        let start: UnsafeMutableRawPointer
        let length: Int
        let mark: UInt8

        var isWhole: Bool {
            UnsafeRawBufferPointer(start: start, count: length).allSatisfy { $0 == mark }
        }
    }

    @Test("blocks are aligned, and keep their bytes until they are freed", arguments: [0, 65_536])
    func kept(gap: Int) throws {
        let pages = Pages()
        pages.gap = gap
        var heap = Heap()
        var generator = SeededRandom(seed: 7)
        var blocks: [Block] = []
        for step in 0..<20_000 {
            if blocks.count > 300 || !blocks.isEmpty && Bool.random(using: &generator) {
                let block = blocks.remove(at: .random(in: blocks.indices, using: &generator))
                #expect(block.isWhole)
                heap.free(block.start)
            } else {
                let bits = Int.random(in: 0...14, using: &generator)
                let length = Int.random(in: 0...1 << bits, using: &generator)
                let start = try #require(heap.allocate(length) { pages.grow($0) })
                #expect(Int(bitPattern: start) % Heap.alignment == 0)
                let mark = UInt8(truncatingIfNeeded: step)
                start.initializeMemory(as: UInt8.self, repeating: mark, count: length)
                blocks.append(Block(start: start, length: length, mark: mark))
            }
        }
        #expect(blocks.allSatisfy { $0.isWhole } && pages.areGapsWhole)
    }

    @Test("freed memory serves the next requests, so that repetition needs no more memory")
    func reused() throws {
        let pages = Pages()
        var heap = Heap()
        var needed = 0
        for round in 0..<50 {
            var blocks: [UnsafeMutableRawPointer] = []
            for length in stride(from: 0, to: 40_000, by: 97) {
                blocks.append(try #require(heap.allocate(length) { pages.grow($0) }))
            }
            for block in blocks { heap.free(block) }
            if round == 0 { needed = pages.grown }
        }
        #expect(pages.grown == needed)
    }

    @Test("a block is at most a quarter longer than what was asked for, and 20 bytes")
    func tight() throws {
        for length in [0, 1, 12, 13, 124, 125, 1000, 4096, 65_536, 1_000_000, 5_000_001] {
            let pages = Pages()
            var heap = Heap()
            let first = try #require(heap.allocate(length) { pages.grow($0) })
            let second = try #require(heap.allocate(length) { pages.grow($0) })
            #expect(second - first >= length && second - first <= length + length / 4 + 20)
        }
    }

    @Test("without memory there is no block, and with memory again there is")
    func full() throws {
        let pages = Pages()
        var heap = Heap()
        pages.isEmpty = true
        #expect(heap.allocate(1) { pages.grow($0) } == nil)
        pages.isEmpty = false
        #expect(heap.allocate(.max) { pages.grow($0) } == nil)
        #expect(heap.allocate(-1) { pages.grow($0) } == nil)
        let block = try #require(heap.allocate(1) { pages.grow($0) })
        pages.isEmpty = true
        #expect(heap.allocate(1 << 20) { pages.grow($0) } == nil)
        heap.free(block)
        #expect(heap.allocate(1) { pages.grow($0) } == block)
    }
}
