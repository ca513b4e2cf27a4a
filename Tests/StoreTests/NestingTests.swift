import Store
import Testing

@Suite("Nested use")
struct NestingTests {
    private static func expectSentence(_ result: ExitTest.Result?, _ sentence: String) {
        let output = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(output.contains(sentence), "\(output)")
    }

    @Test("a commit inside a body of the same store stops with a sentence that says what to do")
    func commitInsideCommit() async {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let store = Store(Notes(), name: "notes")
            store.commit { _ in store.commit { $0.count = 1 } }
        }
        Self.expectSentence(result, "The store “notes” was used inside the body of its own commit")
        Self.expectSentence(result, "compose with mutating methods of the state")
    }

    @Test("a read inside a body of the same store stops with a sentence")
    func readInsideCommit() async {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let store = Store(Notes(), name: "notes")
            store.commit { $0.count = store.count + 1 }
        }
        Self.expectSentence(result, "The store “notes” was used inside the body of its own commit")
    }

    @Test("a commit inside a read of the same store stops with a sentence")
    func commitInsideRead() async {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let store = Store(Notes(), name: "notes")
            store.read { _ in store.commit { $0.count = 1 } }
        }
        Self.expectSentence(result, "The store “notes” was used inside the body of its own commit")
    }

    @Test("a Derived read inside a body of its store stops with a sentence, up to date or not")
    func derivedInsideCommit() async {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let store = Store(Notes(), name: "notes")
            let count = store.derived(\.count).map { $0 + 1 }
            _ = count.value
            store.commit { $0.count = count.value }
        }
        Self.expectSentence(result, "The store “notes” was used inside the body of its own commit")
    }

    @Test("a transform that reads its own Derived stops with a sentence")
    func derivedInsideItself() async {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let store = Store(Notes())
            let itself = Record<Derived<Int>>()
            let derived = store.derived { state in
                (itself.elements.first?.value ?? 0) + state.count
            }
            itself.append(derived)
            _ = derived.value
        }
        Self.expectSentence(result, "or its comparison, read the Derived that it computes")
    }

    @Test("a cancellation inside a body stops with a sentence")
    func cancelInsideCommit() async {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let store = Store(Notes())
            let subscription = store.sinkState { _ in }
            store.commit { _ in subscription.cancel() }
        }
        Self.expectSentence(result, "A subscription was cancelled inside the body of a commit")
    }

    @Test("a subscription that is dropped inside a body hears nothing of that commit")
    func dropInsideCommit() {
        let store = Store(Notes())
        let seen = Record<Int>()
        var subscription: Subscription? = store.sinkState { seen.append($0.count) }
        store.commit { notes in
            subscription = nil
            notes.count = 1
        }
        store.commit { $0.count = 2 }
        #expect(subscription == nil)
        #expect(seen.elements == [0])
    }

    @Test("a commit to another store inside a body stays when the outer one throws")
    func otherStoreInsideCommit() {
        let outer = Store(Notes())
        let inner = Store(Notes())
        #expect(throws: Refusal()) {
            try outer.commit { notes throws(Refusal) in
                notes.count = 1
                inner.commit { $0.count = 2 }
                throw Refusal()
            }
        }
        #expect(outer.count == 0)
        #expect(inner.count == 2)
    }

    @Test("handlers run after the outermost body, when they may use every store")
    func handlersAfterOuterBody() {
        let outer = Store(Notes())
        let inner = Store(Notes())
        let seen = Record<Int>()
        let subscription = inner.sinkState { changes in
            if changes.previous != nil { outer.commit { $0.count += 10 } }
            seen.append(changes.count)
        }
        outer.commit { notes in
            inner.commit { $0.count = 1 }
            #expect(seen.elements == [0])
            notes.count = 1
        }
        #expect(seen.elements == [0, 1])
        #expect(outer.count == 11)
        withExtendedLifetime(subscription) {}
    }
}
