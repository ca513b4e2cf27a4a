import OutboxTesting
import Testing

@testable import StoreCore

@Suite("The B-tree of an index")
struct OrderedTreeTests {
    typealias Tree = OrderedTree<Note, Int>

    private static func entry(_ key: Int) -> Tree.Entry {
        Tree.Entry(key: key, id: EntityID(Key(UInt64(key))))
    }

    @Test(
        "it keeps its invariants, whatever the order of insertions and removals",
        arguments: 0..<9 as Range<UInt64>
    )
    func invariants(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let count = [3, 200, 4_000][Int(seed % 3)]
        var keys = Array(0..<count)
        switch seed / 3 {
        case 0: break
        case 1: keys.reverse()
        default: keys.shuffle(using: &random)
        }
        var tree = Tree()
        for (position, key) in keys.enumerated() {
            tree.insert(Self.entry(key))
            if position % (1 + count / 20) == 0 { expectInvariants(of: tree, seed) }
        }
        #expect(tree.count == count, "seed \(seed)")
        keys.shuffle(using: &random)
        while let key = keys.popLast() {
            tree.remove(Self.entry(key))
            if keys.count % (1 + count / 20) == 0 {
                expectInvariants(of: tree, seed)
                #expect(
                    IndexSlice(tree, 0..<tree.count).map { Int($0.rawValue.number) }
                        == keys.sorted(),
                    "seed \(seed)"
                )
            }
        }
        #expect(tree.root == nil)
    }

    @Test("blocks are full after insertions in ascending order")
    func ascendingInsertionsFillBlocks() {
        var tree = Tree()
        for key in 0..<(4 * Tree.branchCapacity * Tree.leafCapacity) {
            tree.insert(Self.entry(key))
        }
        var blocks: [UInt16: Int] = [:]
        visit(tree.root!) { blocks[$0.header.mark, default: 0] += 1 }
        #expect(blocks == [0: 4 * Tree.branchCapacity, 1: 4, 2: 1])
    }

    @Test("leaves that removals leave sparse are joined", arguments: 0..<3 as Range<UInt64>)
    func sparseLeavesAreJoined(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let kept = 200
        var tree = Tree()
        for key in 0..<(100 * Tree.leafCapacity) { tree.insert(Self.entry(key)) }
        let distance = tree.count / kept
        var removed = (0..<tree.count).filter { $0 % distance != 0 }
        removed.shuffle(using: &random)
        for key in removed { tree.remove(Self.entry(key)) }
        #expect(tree.count == kept, "seed \(seed)")
        expectInvariants(of: tree, seed)
        var leaves = 0
        visit(tree.root!) { if $0.header.isLeaf { leaves += 1 } }
        // One of two neighbours at least is a third full, so that both are a sixth full.
        #expect(leaves <= 6 * kept / Tree.leafCapacity, "seed \(seed)")
    }

    @Test("removing an entry that is not there stops the program")
    func foreignEntry() async {
        await #expect(processExitsWith: .failure) {
            var tree = Tree()
            tree.insert(OrderedTreeTests.entry(1))
            tree.remove(OrderedTreeTests.entry(2))
        }
        await #expect(processExitsWith: .failure) {
            var tree = Tree()
            for key in 0..<100 { tree.insert(OrderedTreeTests.entry(key)) }
            tree.remove(OrderedTreeTests.entry(100))
        }
    }

    private func visit(_ node: Tree.Node, _ body: (Tree.Node) -> Void) {
        body(node)
        if node.header.isLeaf { return }
        node.withChildren { children in
            for slot in 0..<node.header.count { visit(children[slot].node, body) }
        }
    }

    private func expectInvariants(of tree: Tree, _ seed: UInt64) {
        guard let root = tree.root else { return }
        #expect(root.header.isLeaf || root.header.count > 1, "a root has children, seed \(seed)")
        visit(root) { node in
            let header = node.header
            #expect(header.count > 0 && header.count <= Int(header.capacity), "seed \(seed)")
            if header.isLeaf {
                #expect(header.count <= Tree.leafCapacity, "seed \(seed)")
                node.withItems { items in
                    for position in 1..<max(1, header.count) {
                        #expect(items[position - 1] < items[position], "seed \(seed)")
                    }
                }
                return
            }
            #expect(header.count <= Tree.branchCapacity, "seed \(seed)")
            node.withChildren { children in
                var weight = 0
                for slot in 0..<header.count {
                    let label = Tree.label(of: children[slot].node)
                    #expect(children[slot].label.first == label.first, "seed \(seed)")
                    #expect(children[slot].label.weight == label.weight, "seed \(seed)")
                    #expect(children[slot].node.header.mark == header.mark - 1, "seed \(seed)")
                    weight += label.weight
                }
                #expect(weight == header.weight, "seed \(seed)")
            }
        }
    }
}
