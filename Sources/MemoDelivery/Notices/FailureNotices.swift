#if os(Linux)
    import Dispatch
    public import MemoKit
    import MemoProcesses
    public import MemoTexts
    import Outbox
    import OutboxCore
    import Synchronization

    /// Tells the person once of each memo that did not arrive, by a notification on their desktop without the
    /// memo's text, whose button sends the memo again. It runs in a process of its own, `memo-agent notify`:
    /// a desktop that hangs holds up no delivery, and the button works after the agent has ended.
    ///
    /// 1. A memo is told of when the server has taken its notification, and only then: what is noted as told,
    ///    `MemoBox.noteTold(_:)`, is told of by no face again. The line of `memo` is no notification: it counts
    ///    the memos that nobody has seen in the history, and neither reads nor writes that note. So a
    ///    notification that is overlooked leaves the line, and the line causes no second notification.
    /// 2. A memo that the person has seen in the history gets no notification, and loses the one that it had.
    /// 3. No more notifications than ``most`` have a button at a time. Further memos share one without a
    ///    button, which names the command that shows them.
    /// 4. A button is shown only while this process hears of it. Before the process ends, each notification
    ///    that still has one gives way to one that names the command instead.
    /// 5. One process for each folder: the lock. A process that finds it taken ends, because the other one
    ///    looks, and looks once more after it has let go of the lock.
    ///
    /// | failure | outcome |
    /// |---|---|
    /// | no session bus, no GIO, no server, or none that answers in time | nothing; another run of the agent tries again |
    /// | killed between the notification and the note | it is shown a second time |
    /// | killed while a button is shown | the button does nothing; the line of `memo` and the history tell |
    /// | the memo cannot be sent again, or was sent again meanwhile | the history tells |
    public struct FailureNotices: Sendable {
        /// The most notifications with a button at a time.
        static let most = 3
        private static let button = "send-again"
        /// The longest wait for the bus, and for each answer of the server.
        private static let patience = Duration.seconds(5)
        /// The wait between two looks at the box.
        private static let pause = Duration.seconds(1)

        private let folder: DataFolder
        private let language: Language
        private let life: Duration

        /// - Parameters:
        ///   - language: The language of the notifications.
        ///   - life: The longest time that a notification keeps its button.
        public init(folder: DataFolder, language: Language, life: Duration = .seconds(3600)) {
            self.folder = folder
            self.language = language
            self.life = life
        }

        /// Tells, and serves the buttons until none is left, their time is over, or the task is cancelled.
        public func tell() async {
            let isStopped = Flag()
            await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    DispatchQueue(label: "notices").async {
                        while serve(until: isStopped) {}
                        continuation.resume()
                    }
                }
            } onCancel: {
                isStopped.value.store(true, ordering: .relaxed)
            }
        }

        private final class Flag: Sendable {
            let value = Atomic(false)
        }

        /// What is shown.
        private struct Shown {
            /// The notifications that have a button.
            var buttons: [UInt32: OperationID] = [:]
            /// The notification about further memos; 0 for none.
            var others: UInt32 = 0
        }

        /// Serves while it has the lock.
        ///
        /// - Returns: Whether to begin again: a process that found the lock taken counts on that.
        private func serve(until isStopped: Flag) -> Bool {
            guard let box = try? MemoBox(folder: folder), isAnythingUntold(in: box),
                let lock = try? FileLock(path: folder.noticeLock)
            else { return false }
            let isServed = serve(box, until: isStopped)
            withExtendedLifetime(lock) {}
            return isServed && !isStopped.value.load(ordering: .relaxed)
        }

        private func isAnythingUntold(in box: MemoBox) -> Bool {
            (try? box.untoldFailures(limit: 1))?.isEmpty == false
        }

        /// - Returns: Whether the server, and the box, did what they were asked for.
        private func serve(_ box: MemoBox, until isStopped: Flag) -> Bool {
            guard let server = NotificationServer(patience: Self.patience) else { return false }
            let end = ContinuousClock.now + life
            var shown = Shown()
            while true {
                guard show(box, on: server, &shown) else {
                    withdrawButtons(of: &shown, box, on: server)
                    return false
                }
                if shown.buttons.isEmpty { return true }
                if isStopped.value.load(ordering: .relaxed) || ContinuousClock.now > end {
                    withdrawButtons(of: &shown, box, on: server)
                    return true
                }
                guard heard(server.events(within: Self.pause), box, on: server, &shown) else {
                    return false
                }
            }
        }

        /// Shows what is untold, and takes back what the person has seen.
        private func show(
            _ box: MemoBox,
            on server: NotificationServer,
            _ shown: inout Shown
        ) -> Bool {
            do throws(MemoError) {
                for (notification, id) in shown.buttons where try !box.isUnseenFailure(id) {
                    server.close(notification)
                    shown.buttons[notification] = nil
                }
                let untold = try box.untoldFailures(limit: 1000)
                if untold.isEmpty { return true }
                var others: [OperationID] = []
                for failure in untold {
                    guard server.hasButtons, failure.canBeSentAgain, shown.buttons.count < Self.most
                    else {
                        others.append(failure.id)
                        continue
                    }
                    let button = NotificationServer.Button(
                        name: Self.button,
                        label: language.string(AppText.resend)
                    )
                    let text = language.string(AppText.notArrived)
                    guard let notification = server.show(text, buttons: [button]) else {
                        return false
                    }
                    shown.buttons[notification] = failure.id
                    try box.noteTold([failure.id])
                }
                guard !others.isEmpty else { return true }
                let number = try box.unseenFailures()
                guard
                    let notification = server.show(sentence(number), replacing: shown.others)
                else { return false }
                shown.others = notification
                try box.noteTold(others)
                return true
            } catch {
                return false
            }
        }

        /// - Returns: `false` when the server is gone.
        private func heard(
            _ events: [NotificationServer.Event],
            _ box: MemoBox,
            on server: NotificationServer,
            _ shown: inout Shown
        ) -> Bool {
            if events.contains(.ended) { return false }
            // Some servers say first that the notification is gone.
            for case .pressed(let notification, Self.button) in events {
                guard let id = shown.buttons.removeValue(forKey: notification) else { continue }
                server.close(notification)
                // What cannot be sent again stays in the history, which says why.
                if (try? box.sendAgain(id)) != nil { _ = try? box.summonAgent() }
            }
            for case .closed(let notification) in events {
                shown.buttons[notification] = nil
                if shown.others == notification { shown.others = 0 }
            }
            return true
        }

        private func withdrawButtons(
            of shown: inout Shown,
            _ box: MemoBox,
            on server: NotificationServer
        ) {
            guard let number = try? box.unseenFailures() else { return }
            for notification in shown.buttons.keys {
                _ = server.show(sentence(number), urgency: .low, replacing: notification)
            }
            shown.buttons = [:]
        }

        /// The sentence about memos that did not arrive, which names the command that shows them.
        private func sentence(_ number: Int) -> String {
            MemoError.memosNotArrived(number).sentence(in: language)
        }
    }
#endif
