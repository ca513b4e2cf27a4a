#if os(Linux)
    import Testing

    @testable import Connectivity

    @Suite("A session with rtnetlink")
    struct NetlinkSessionTests {
        /// A session, and the number of its last request.
        private struct Conversation {
            private var session = NetlinkSession(port: Recording.port)
            private(set) var sequence: UInt32 = 0
            /// `true` for a table, `false` for "nothing is known".
            private(set) var reports: [Bool] = []

            mutating func perform(_ event: (inout NetlinkSession) -> [NetlinkSession.Action]) {
                for action in event(&session) {
                    switch action {
                    case .send(let request):
                        sequence = NetlinkBytes(bytes: request[...]).integer(at: 8) ?? 0
                    case .report(let table): reports.append(table != nil)
                    }
                }
            }

            mutating func answer(_ datagram: [UInt8]) {
                let datagram = Recording.numbered(datagram, sequence)
                perform { $0.received(datagram) }
            }

            mutating func answerAll() throws {
                for datagram in try Recording.datagrams() { answer(datagram) }
            }
        }

        @Test("the three tables are asked for one after the other, then reported once")
        func reading() throws {
            var conversation = Conversation()
            conversation.perform { $0.overran() }
            #expect(conversation.sequence == 1)
            try conversation.answerAll()
            #expect(conversation.sequence == 3)
            #expect(conversation.reports == [true])
        }

        @Test("an event begins a new reading; one during a reading makes it be read again")
        func events() throws {
            var conversation = Conversation()
            conversation.perform { $0.overran() }
            try conversation.answerAll()
            conversation.perform { $0.received(Recording.event) }
            #expect(conversation.sequence == 4)
            conversation.perform { $0.received(Recording.event) }
            try conversation.answerAll()
            #expect(conversation.reports == [true])
            #expect(conversation.sequence == 7)
            try conversation.answerAll()
            #expect(conversation.reports == [true, true])
        }

        @Test("an overrun reads all anew, but never while an answer is under way")
        func overrun() throws {
            var conversation = Conversation()
            conversation.perform { $0.overran() }
            conversation.perform { $0.overran() }
            #expect(conversation.sequence == 1)
            try conversation.answerAll()
            #expect(conversation.reports.isEmpty)
            try conversation.answerAll()
            #expect(conversation.reports == [true])
            conversation.perform { $0.overran() }
            try conversation.answerAll()
            #expect(conversation.reports == [true, true])
        }

        @Test("without end of changes there is still a report, after a bounded number of readings")
        func restless() throws {
            var conversation = Conversation()
            conversation.perform { $0.overran() }
            for _ in 0..<5 {
                conversation.perform { $0.received(Recording.event) }
                try conversation.answerAll()
            }
            #expect(conversation.reports == [true])
            // The last change is not forgotten.
            try conversation.answerAll()
            #expect(conversation.reports == [true, true])
        }

        @Test("an error or a cut answer means that nothing is known, until the next event")
        func failure() throws {
            let refused = Recording.message(
                type: Netlink.error,
                sequence: 1,
                port: Recording.port,
                body: [0xf0, 0xff, 0xff, 0xff]
            )
            for broken in [refused, Array(try Recording.datagram("links").dropLast(1))] {
                var conversation = Conversation()
                conversation.perform { $0.overran() }
                conversation.perform { $0.received(Recording.event) }
                conversation.answer(broken)
                #expect(conversation.reports == [false])
                #expect(conversation.sequence == 1)
                conversation.perform { $0.received(Recording.event) }
                try conversation.answerAll()
                #expect(conversation.reports == [false, true])
            }
        }

        @Test("what has the number of a request but came for another socket is no answer to it")
        func others() throws {
            var conversation = Conversation()
            conversation.perform { $0.overran() }
            let foreign = Recording.message(type: Netlink.done, sequence: 1, port: 4711)
            conversation.perform { $0.received(foreign) }
            #expect(conversation.sequence == 1)
            // An event with that number is one all the same: the tables are read once more.
            conversation.perform { $0.received(Recording.event) }
            try conversation.answerAll()
            #expect(conversation.reports.isEmpty)
            try conversation.answerAll()
            #expect(conversation.reports == [true])
        }
    }
#endif
