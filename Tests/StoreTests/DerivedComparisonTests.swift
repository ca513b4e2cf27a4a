import Store
import Synchronization
import Testing

@Suite("Derived, by the caller's comparison")
struct DerivedComparisonTests {
    /// Not `Equatable`.
    struct Picture: Sendable {
        let motif: Int
        let shade: Int

        static func haveOneMotif(_ left: Picture, _ right: Picture) -> Bool {
            left.motif == right.motif
        }
    }

    final class Portrait: Sendable {}

    struct Album: Sendable {
        var picture = Picture(motif: 0, shade: 0)
        var portrait = Portrait()
    }

    private let store = Store(Album())

    private func show(_ motif: Int, _ shade: Int) {
        store.commit { $0.picture = Picture(motif: motif, shade: shade) }
    }

    @Test("memoised before: a transform runs only when the comparison finds its input changed")
    func memoisesBefore() {
        let runs = Atomic(0)
        let motif = store.derived(\.picture, by: Picture.haveOneMotif).map { picture in
            runs.add(1, ordering: .relaxed)
            return picture.motif
        }
        for shade in 0..<5 {
            show(0, shade)
            #expect(motif.value == 0)
        }
        #expect(runs.load(ordering: .relaxed) == 1)
        show(1, 0)
        #expect(motif.value == 1)
        #expect(runs.load(ordering: .relaxed) == 2)
    }

    @Test("memoised after: subscribers are told only of values that the comparison tells apart")
    func memoisesAfter() {
        let told = Record<Picture>()
        let pictures = [
            store.derived(\.picture, by: Picture.haveOneMotif),
            store.derived {
                $0.picture
            } by: {
                $0.motif == $1.motif
            },
            store.derived(\.picture.shade) {
                Picture(motif: $0 / 10, shade: $0)
            } by: {
                $0.motif == $1.motif
            },
            store.derived(\.picture, by: Picture.haveOneMotif).map {
                $0
            } by: {
                $0.motif == $1.motif
            },
            Derived.combine(store.derived(\.picture.shade)) { shade in
                Picture(motif: shade / 10, shade: shade)
            } by: {
                $0.motif == $1.motif
            },
        ]
        let subscriptions = pictures.map { $0.sinkValue { told.append($0) } }
        #expect(told.elements.map(\.motif) == [0, 0, 0, 0, 0])
        show(0, 9)
        #expect(told.elements.count == 5)
        show(1, 10)
        #expect(told.elements.dropFirst(5).map(\.motif) == [1, 1, 1, 1, 1])
        withExtendedLifetime(subscriptions) {}
    }

    @Test("the value that was there first stays while new values count as the same")
    func keepsTheFirst() {
        let picture = store.derived(\.picture, by: Picture.haveOneMotif)
        show(1, 1)
        #expect(picture.value.shade == 1)
        show(1, 2)
        #expect(picture.value.shade == 1)
        show(2, 3)
        #expect(picture.value.shade == 3)
    }

    @Test("a value that was another only between two looks is not told again, though it differs")
    func tellsWhatTheComparisonTellsApart() {
        let outer = Store(0)
        let picture = store.derived(\.picture, by: Picture.haveOneMotif)
        let told = Record<Int>()
        let subscription = picture.sinkValue { told.append($0.shade) }
        // Handlers wait for the end of the outer commit.
        outer.commit { _ in
            show(1, 1)
            #expect(picture.value.shade == 1)
            show(0, 2)
        }
        #expect(told.elements == [0])
        show(3, 3)
        #expect(told.elements == [0, 3])
        withExtendedLifetime(subscription) {}
    }

    @Test("an object is compared by its identity")
    func comparesIdentity() {
        let told = Record<Portrait>()
        let subscription = store.derived(\.portrait, by: { $0 === $1 }).sinkValue {
            told.append($0)
        }
        show(1, 1)
        #expect(told.elements.count == 1)
        store.commit { $0.portrait = Portrait() }
        #expect(told.elements.count == 2)
        withExtendedLifetime(subscription) {}
    }

    @Test("computed once for a hundred subscribers")
    func computesOnce() {
        let runs = Atomic(0)
        let picture = store.derived(\.picture, by: Picture.haveOneMotif).map { picture in
            runs.add(1, ordering: .relaxed)
            return Picture(motif: picture.motif * 2, shade: 0)
        } by: {
            $0.motif == $1.motif
        }
        let told = Atomic(0)
        let subscriptions = (0..<100).map { _ in
            picture.sinkValue { _ in told.add(1, ordering: .relaxed) }
        }
        show(1, 0)
        #expect(runs.load(ordering: .relaxed) == 2)
        #expect(told.load(ordering: .relaxed) == 200)
        withExtendedLifetime(subscriptions) {}
    }

    @Test("values without `==` are combined with others, and may be looped over")
    func combines() async {
        let line = Derived.combine(
            store.derived(\.picture, by: Picture.haveOneMotif),
            store.derived(\.portrait, by: { $0 === $1 })
        ) { picture, _ in picture.motif }
        #expect(line.value == 0)
        show(4, 0)
        var pictures = store.derived(\.picture, by: Picture.haveOneMotif).values.makeAsyncIterator()
        #expect(await pictures.next()?.motif == 4)
        #expect(line.value == 4)
    }
}
