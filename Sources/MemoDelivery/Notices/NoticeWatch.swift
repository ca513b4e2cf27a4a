import MemoKit
import MemoProcesses
import Outbox
import OutboxCore

/// Has a process of its own tell of memos that did not arrive, beside a run of the agent: one process for
/// each new failure. Whatever becomes of it, no delivery waits for it.
struct NoticeWatch: Sendable {
    private static let pause = Duration.seconds(2)

    /// The program that tells, by `notify`: this one, where the environment names a session bus.
    static var program: String? {
        #if os(Linux)
            SessionBus.isNamed ? AgentProgram.pathOfThisExecutable() : nil
        #else
            nil
        #endif
    }

    private let work: Task<Void, Never>

    init(box: MemoBox, program: String) {
        work = Task {
            var asked: Set<OperationID> = []
            var isLast = false
            while true {
                let untold = (try? box.untoldFailures(limit: 1000)) ?? []
                if !asked.isSuperset(of: untold.map(\.id)) {
                    asked.formUnion(untold.map(\.id))
                    try? AgentProgram.start(program, "notify", folder: box.folder)
                }
                if isLast { return }
                // What the last round has learnt is told, too.
                isLast = (try? await Task.sleep(for: Self.pause)) == nil
            }
        }
    }

    /// Looks once more, and ends.
    func end() async {
        cancel()
        await work.value
    }

    /// Has the watch look once more and end, by and by.
    func cancel() {
        work.cancel()
    }
}
