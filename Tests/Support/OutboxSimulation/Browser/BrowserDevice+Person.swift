import OutboxCore
import OutboxTesting
import SimulatedBrowser
import SyncCore
import WebClient

/// The person in front of the pages.
extension BrowserDevice {
    /// Any page with the field in front.
    private var anyPage: PageProcess? {
        processes.filter { $0.role == .page && !$0.isElsewhere }
            .randomElement(using: &world.random)
    }

    // MARK: Sending

    /// Types the next memo and asks to send it, at once or later. A text that is in the field already,
    /// of a page that died or of a memo that was not stored, is sent instead.
    func write() {
        guard !world.isOver, let process = anyPage else { return }
        let page = process.page
        process.lookedAt()
        if page.openDialogs.contains(.rating) { page.click(.ratingDismiss) }
        guard page.memo.isEmpty else { return press(process) }
        guard let memo = unwritten.popLast() else { return }
        typed.append(memo)
        page.type(memo.text)
        arrange()
        if world.random.isTrue(500) { return press(process) }
        world.scheduler.after(world.random.duration(upTo: .seconds(60))) { self.press(process) }
    }

    private func press(_ process: PageProcess) {
        let page = process.page
        guard process.isAlive, !process.isElsewhere, !world.isOver, !page.memo.isEmpty else {
            return
        }
        process.lookedAt()
        let memo = self.memo(of: page.memo)
        if !pressed.contains(where: { $0.process === process && $0.memo === memo }) {
            if !world.written.contains(where: { $0 === memo }) { world.wrote(memo) }
            world.history.note(process.name, "memo \(memo.number) is sent")
            world.history.observe(.sendPressed(memo))
            takePlace(of: memo, process)
            pressed.append((process, memo))
        }
        world.random.isTrue(500) ? page.click(.send) : page.pressEnter()
        // The host tells of it at once, with the field as it is.
        page.work.insert(page.work.removeLast(), at: 0)
        arrange()
    }

    /// Forgets the memos that a page has not stored, and whose texts a memo has that is sent in their place: the
    /// field's text may be put together of these and of a text of a page that died.
    private func takePlace(of memo: WrittenMemo, _ process: PageProcess) {
        pressed.removeAll {
            guard $0.process === process, memo.text.contains($0.memo.text) else { return false }
            world.history.observe(.notAcknowledged($0.memo))
            return true
        }
    }

    /// The memo of a field's text: a written one, or one that is put together of several.
    private func memo(of text: String) -> WrittenMemo {
        if let memo = typed.first(where: { $0.text == text }) { return memo }
        let memo = WrittenMemo(number: world.newNumber(), device: number, text: text)
        typed.append(memo)
        return memo
    }

    /// Looks which fields have let go of their memos: these are safe.
    func look() {
        pressed.removeAll { process, memo in
            guard !process.page.memo.contains(memo.text) else { return false }
            world.history.note(process.name, "memo \(memo.number) is safe")
            world.history.observe(.acknowledged(memo))
            return true
        }
    }

    /// The page is dead. What it had not told yet, it never tells.
    func forget(_ process: PageProcess) {
        pressed.removeAll {
            guard $0.process === process else { return false }
            world.history.observe(.notAcknowledged($0.memo))
            return true
        }
    }

    // MARK: What all devices share

    func edit() {
        guard !world.isOver, let process = anyPage else { return }
        process.lookedAt()
        let isRefused = world.has(.changeRefused) && world.random.isTrue(200)
        let edit = SharedEdit(number: world.newNumber(), isRefused: isRefused, &world.random)
        if SharedEdit.isRefused(edit.value) { world.history.count(.changeRefused, process.name) }
        world.history.note(process.name, "\(edit)")
        process.page.choose(edit.choice.element, edit.choice.value)
        arrange()
    }

    func signOutFormer() {
        guard !world.isOver, let process = anyPage else { return }
        openSettings(process) {
            let page = process.page
            let rows = page.rows[.deviceList] ?? []
            let row = rows.indices.first {
                page.text(.name, in: .deviceList, at: $0)?.hasPrefix(World.formerDevice) ?? false
            }
            guard let row else { return self.comeBack(process) }
            page.click(.deviceList, row: rows[row], part: .revoke)
            self.arrange()
            self.soon(process) {
                if page.openDialogs.contains(.confirm) { page.click(.confirmAccept) }
                self.comeBack(process)
            }
        }
    }

    /// Tries a change again that the relay has refused, or that has met another device's; or gives it up.
    private func settle(_ process: PageProcess, discardingOnly: Bool) {
        let discards = discardingOnly || world.random.isTrue(500)
        openSettings(process) {
            if let row = process.page.rows[.changeList]?.first {
                if discards {
                    for (record, change) in self.changes({ $0 == .refused }) {
                        self.world.history.observe(.givingUp(record, change))
                    }
                }
                self.world.history.note(process.name, discards ? "gives up" : "tries again")
                process.page.click(.changeList, row: row, part: discards ? .delete : .retry)
                self.arrange()
            }
            self.comeBack(process)
        }
    }

    private func openSettings(_ process: PageProcess, _ then: @escaping () -> Void) {
        process.lookedAt()
        process.isElsewhere = true
        process.page.click(.openSettings)
        arrange()
        soon(process, then)
    }

    // MARK: Deciding

    func decide(deletingOnly: Bool) {
        guard let process = anyPage else { return }
        process.lookedAt()
        if !changes({ $0 == .refused }).isEmpty, deletingOnly || world.random.isTrue(500) {
            return settle(process, discardingOnly: deletingOnly)
        }
        if !deletingOnly, world.random.isTrue(300) {
            process.page.click(.retryNow)
            return arrange()
        }
        let parked = records.memos.filter { memo in
            guard case .parked = memo.place else { return false }
            return !deletingOnly || world.isHopeless(memo.id)
        }
        guard let id = parked.map(\.id).randomElement(using: &world.random) else { return }
        let deletes = world.isHopeless(id) && (deletingOnly || world.random.isTrue(500))
        process.isElsewhere = true
        process.page.click(.openDiagnostics)
        arrange()
        soon(process) { deletes ? self.askToDelete(id, process) : self.retry(id, process) }
    }

    private func retry(_ id: OperationID, _ process: PageProcess) {
        if click(.retry, of: id, process) {
            world.history.observe(.retrying(id))
            world.history.note(process.name, "retries \(world.name(of: id))")
        }
        comeBack(process)
    }

    private func askToDelete(_ id: OperationID, _ process: PageProcess) {
        guard click(.delete, of: id, process) else { return comeBack(process) }
        soon(process) {
            if process.page.openDialogs.contains(.confirm) {
                self.world.history.observe(.deleting(id))
                self.world.history.note(process.name, "deletes \(self.world.name(of: id))")
                process.page.click(.confirmAccept)
            }
            self.comeBack(process)
        }
    }

    /// Uses a button in the row of a memo, if there is such a row.
    private func click(_ button: Name, of id: OperationID, _ process: PageProcess) -> Bool {
        let (page, text) = (process.page, String(decoding: id.text, as: UTF8.self))
        let rows = page.rows[.queueList] ?? []
        let index = rows.indices.first { page.text(.id, in: .queueList, at: $0) == text }
        guard let index else { return false }
        page.click(.queueList, row: rows[index], part: button)
        arrange()
        return true
    }

    private func comeBack(_ process: PageProcess) {
        soon(process) {
            process.page.click(.diagnosticsBack)
            process.page.click(.settingsBack)
            process.isElsewhere = false
            self.arrange()
        }
    }

    /// Lets the person do something after a moment, if the page is still there.
    private func soon(_ process: PageProcess, _ body: @escaping () -> Void) {
        let wait = Milliseconds(Int64.random(in: 200...4000, using: &world.random))
        world.scheduler.after(wait) { if process.isAlive { body() } }
    }
}
