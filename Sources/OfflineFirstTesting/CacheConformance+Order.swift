import OfflineFirst

extension CacheConformance {
    static var ticketChecks: [Check] {
        [
            Check("each ticket is greater than the one before") { cache, _ in
                let first = try cache.nextTicket()
                let second = try cache.nextTicket()
                try cache.apply([change(1, [1])], at: time(1))
                let third = try cache.nextTicket()
                let local = try cache.entry(for: key(1))?.ticket
                try expect(first < second && second < third)
                try expect(local.map { second < $0 && $0 < third } == true)
            },
            Check("the answer to a request that began earlier is void, whenever it arrives") {
                cache,
                _ in
                let (early, late) = (try cache.nextTicket(), try cache.nextTicket())
                try expect(
                    try cache.store([answer(1, [2])], ticket: late, at: time(1)) == [.stored]
                )
                // The clock says nothing.
                try expect(
                    try cache.store([answer(1, [1])], ticket: early, at: time(9)) == [.superseded]
                )
                try expect(try cache.entry(for: key(1))?.bytes == [2])
            },
            Check("the same answer twice is stored once") { cache, _ in
                let ticket = try cache.nextTicket()
                let twice = [answer(1, [1]), answer(1, [2])]
                try expect(
                    try cache.store(twice, ticket: ticket, at: time(1)) == [.stored, .superseded]
                )
                try expect(try cache.entry(for: key(1))?.bytes == [1])
            },
            Check("a local change makes a request void that is under way, and no later one") {
                cache,
                _ in
                let early = try cache.nextTicket()
                try cache.apply([change(1, [5], isPending: false)], at: time(1))
                try expect(
                    try cache.store([answer(1, [1])], ticket: early, at: time(2)) == [.superseded]
                )
                try expect(try cache.entry(for: key(1))?.bytes == [5])
                let late = try cache.nextTicket()
                try expect(
                    try cache.store([answer(1, [6])], ticket: late, at: time(3)) == [.stored]
                )
                try expect(try cache.entry(for: key(1))?.source == .server)
            },
            Check("a deletion is not undone by an answer from before it") { cache, _ in
                try fill(cache, 1)
                let early = try cache.nextTicket()
                try cache.apply([change(1, nil, isPending: false)], at: time(1))
                try cache.store([answer(1, [1])], ticket: early, at: time(2))
                let entry = try cache.entry(for: key(1))
                try expect(entry != nil && entry?.bytes == nil)
            },
            Check("a void answer to a request leaves the other answers as they are") { cache, _ in
                let early = try cache.nextTicket()
                try cache.apply([change(2, [5])], at: time(1))
                let both = [answer(1, [1]), answer(2, [2])]
                try expect(
                    try cache.store(both, ticket: early, at: time(2)) == [.stored, .superseded]
                )
                try expect(try present(cache, [1, 2]) == [1, 2])
            },
            Check("nothing from before a removal comes back after it") { cache, _ in
                try fill(cache, 1)
                let early = try cache.nextTicket()
                try cache.removeAll(in: nil)
                try expect(
                    try cache.store([answer(1, [1])], ticket: early, at: time(2)) == [.superseded]
                )
                try expect(try cache.entry(for: key(1)) == nil)
                try fill(cache, 1)
                try expect(try present(cache, [1]) == [1])
            },
        ]
    }

    static var pendingChecks: [Check] {
        [
            Check("a value with pending changes takes no answer until the last one is settled") {
                cache,
                _ in
                try cache.apply([change(1, [5])], at: time(1))
                try cache.apply([change(1, [6])], at: time(2))
                for pending in [2, 1] {
                    try expect(try cache.entry(for: key(1))?.pendingChanges == pending)
                    let ticket = try cache.nextTicket()
                    try expect(
                        try cache.store([answer(1, [1])], ticket: ticket, at: time(3))
                            == [.superseded]
                    )
                    try expect(try cache.settle(key(1)))
                }
                try expect(try !cache.settle(key(1)))
                try expect(try cache.entry(for: key(1))?.bytes == [6])
                try fill(cache, 1)
                try expect(try cache.entry(for: key(1))?.bytes == [1])
            },
            Check("an answer to a request that began before the settlement is void") { cache, _ in
                try cache.apply([change(1, [5])], at: time(1))
                let during = try cache.nextTicket()
                try cache.settle(key(1))
                try expect(
                    try cache.store([answer(1, [1])], ticket: during, at: time(2)) == [.superseded]
                )
                try expect(try cache.entry(for: key(1))?.bytes == [5])
            },
            Check("a change that is not pending keeps the number of pending ones") { cache, _ in
                try cache.apply([change(1, [5]), change(1, [6], isPending: false)], at: time(1))
                try expect(try cache.entry(for: key(1))?.pendingChanges == 1)
                try expect(try cache.entry(for: key(1))?.bytes == [6])
            },
            Check("a discarded value is gone with its changes, and takes later answers alone") {
                cache,
                _ in
                try cache.apply([change(1, [5])], at: time(1))
                let during = try cache.nextTicket()
                try expect(try cache.discard(key(1)))
                try expect(try !cache.discard(key(1)))
                try expect(try cache.entry(for: key(1)) == nil)
                try expect(
                    try cache.store([answer(1, [1])], ticket: during, at: time(2)) == [.superseded]
                )
                try fill(cache, 1)
                try expect(try present(cache, [1]) == [1])
                try expect(try cache.counts().pending == 0)
            },
            Check("the values that this device wrote last are listed by their order") { cache, _ in
                try fill(cache, 3)
                try cache.apply([change(2, [2]), change(1, nil)], at: time(1))
                try cache.apply([change(4, [4], isPending: false)], at: time(1))
                try expect(try cache.localKeys(in: "place") == [2, 1, 4].map(key))
                try fill(cache, 4)
                try cache.settle(key(2))
                try expect(try cache.localKeys(in: "place") == [1, 2].map(key))
                try expect(try cache.localKeys(in: "other") == [])
                try expect(try cache.counts().pending == 1)
            },
            Check(
                "a local change that is too long changes nothing",
                limits: CacheLimits(value: 2)
            ) { cache, _ in
                try expectThrow(.tooLarge(limit: 2)) {
                    try cache.apply([change(1, [1]), change(2, [1, 2, 3])], at: time(1))
                }
                try expect(try present(cache, [1, 2]) == [])
            },
        ]
    }

    static var roomChecks: [Check] {
        [
            Check("the least recently used entry goes first", limits: CacheLimits(entries: 3)) {
                cache,
                _ in
                try fill(cache, 1, 2, 3)
                _ = try cache.entry(for: key(1))
                try fill(cache, 4)
                try expect(try present(cache, [2]) == [])
                try fill(cache, 3, 5)
                try expect(try present(cache, [1, 2, 3, 4, 5]) == [3, 4, 5])
                try expect(try cache.counts().evicted == 2)
            },
            Check("a stored order of uses is the same", limits: CacheLimits(entries: 3)) {
                cache,
                _ in
                try fill(cache, 1, 2, 3)
                try expect(try present(cache, [2, 1]) == [2, 1])
                try cache.saveUses()
                try fill(cache, 4)
                try cache.saveUses()
                try fill(cache, 5)
                try expect(try present(cache, [1, 2, 3, 4, 5]) == [1, 4, 5])
            },
            Check(
                "the bytes of all entries stay within the limit",
                limits: CacheLimits(bytes: 2000, value: 1000)
            ) { cache, _ in
                for number in 1...30 {
                    let bytes = [UInt8](repeating: 1, count: number * 20)
                    let ticket = try cache.nextTicket()
                    try cache.store([answer(number, bytes)], ticket: ticket, at: time(1))
                    let counts = try cache.counts()
                    try expect(counts.bytes <= 2000 && counts.entries > 0, "\(number)")
                }
                try expect(try present(cache, [30]) == [30])
            },
            Check(
                "a smaller value in place of a larger one gives its bytes back",
                limits: CacheLimits(bytes: 2000, value: 1000)
            ) { cache, _ in
                for count in [900, 1, 900, 1] {
                    let bytes = [UInt8](repeating: 1, count: count)
                    let ticket = try cache.nextTicket()
                    try cache.store([answer(1, bytes)], ticket: ticket, at: time(1))
                }
                try expect(try cache.counts().bytes < 300)
                try fill(cache, 2, 3)
                try expect(try present(cache, [1, 2, 3]) == [1, 2, 3])
            },
            Check("pending changes are never evicted", limits: CacheLimits(entries: 3)) {
                cache,
                _ in
                try cache.apply([change(1, [1]), change(2, [2])], at: time(1))
                try fill(cache, 3, 4, 5)
                try expect(try present(cache, [1, 2, 3, 4, 5]) == [1, 2, 5])
                try cache.settle(key(1))
                try fill(cache, 6, 7)
                try expect(try present(cache, [1, 2, 5, 6, 7]) == [2, 6, 7])
            },
            Check(
                "pending changes beyond the limit stay, and nothing else is kept",
                limits: CacheLimits(entries: 2)
            ) { cache, _ in
                try fill(cache, 9)
                try cache.apply((1...4).map { change($0, [1]) }, at: time(1))
                try expect(try present(cache, [1, 2, 3, 4, 9]) == [1, 2, 3, 4])
                let ticket = try cache.nextTicket()
                try expect(
                    try cache.store([answer(9, [1])], ticket: ticket, at: time(1)) == [.notKept]
                )
                try expect(try cache.counts().entries == 4)
                for number in 1...4 { try cache.settle(key(number)) }
                try expect(try cache.counts().entries == 2)
            },
            Check(
                "an answer that is too long is not kept, and what was there stays",
                limits: CacheLimits(value: 2)
            ) { cache, _ in
                try fill(cache, 1)
                let ticket = try cache.nextTicket()
                let answers = [answer(1, [1, 2, 3]), answer(2, [1, 2])]
                try expect(
                    try cache.store(answers, ticket: ticket, at: time(1)) == [.notKept, .stored]
                )
                try expect(try cache.entry(for: key(1))?.bytes == [1])
            },
            Check(
                "an answer from before an evicted entry is not stored in its place",
                limits: CacheLimits(entries: 1)
            ) { cache, _ in
                let early = try cache.nextTicket()
                try fill(cache, 1, 2)
                try expect(try present(cache, [1]) == [])
                try expect(
                    try cache.store([answer(1, [9])], ticket: early, at: time(1)) == [.superseded]
                )
            },
            Check(
                "an answer that makes room for itself is not its own victim",
                limits: CacheLimits(entries: 2)
            ) { cache, _ in
                let ticket = try cache.nextTicket()
                let answers = (1...4).map { answer($0, [1]) }
                let outcomes = try cache.store(answers, ticket: ticket, at: time(1))
                try expect(outcomes == [.notKept, .notKept, .stored, .stored])
                try expect(try present(cache, [1, 2, 3, 4]) == [3, 4])
            },
        ]
    }
}
