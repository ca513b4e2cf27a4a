import MemoCore

/// The tasks beside the deliveries of a process that stays for a while: the network, and the news of
/// sent memos. They do not wait for deliveries, nor for senders that call again and again.
package struct CourierWatch: Sendable {
    private let statuses: StatusReader
    /// The first reading of news, which also asks about delivered memos.
    private let first: Task<Void, Never>
    private let others: [Task<Void, Never>]

    /// - Parameters:
    ///   - calls: Raised by each call of a sender.
    ///   - questions: Raised whenever a person looks at the history.
    package init(of courier: Courier, calls: RingFlag, questions: RingFlag) {
        let statuses = courier.statuses.told(of: calls, questions)
        let first = Task { await statuses.read() }
        self.statuses = statuses
        self.first = first
        others = [
            Task { await courier.followNetwork() },
            Task {
                await first.value
                await statuses.follow()
            },
        ]
    }

    /// Asks what became of the memos that were sent, after the first reading.
    package func readNewsOfSent() async {
        await first.value
        await statuses.read(.leaving)
    }

    package func cancel() {
        first.cancel()
        for task in others { task.cancel() }
    }
}
