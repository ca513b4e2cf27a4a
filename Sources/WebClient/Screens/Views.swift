import MemoCore
import OutboxCore
import StoreCore

/// Shows the state on the page, updating only the parts that a commit changed.
final class Views {
    /// How long information stays. Warnings and errors stay until something else is said.
    private static let noticeTime: Int64 = 5000

    let host: Host
    private let store: AppStore
    private var queueRows = RowList(.queueList, template: .queueRow)
    private var deviceRows = RowList(.deviceList, template: .deviceRow)
    private var subscription: LocalSubscription?

    init(host: Host, store: AppStore) {
        self.host = host
        self.store = store
        subscription = store.observe { self.show($0) }
    }

    func queueEntry(in row: UInt32) -> QueueEntry? {
        guard let id = queueRows.id(of: row) else { return nil }
        return store.state.queue.first { $0.key == id }
    }

    func device(in row: UInt32) -> Device? {
        guard let id = deviceRows.id(of: row) else { return nil }
        return store.state.devices.first { $0.id == id }
    }

    private func show(_ changes: Changes<AppState>) {
        let state = changes.current
        let isTranslated = changes.has(changed: { $0.shownLanguage })
        if isTranslated { show(state.shownLanguage) }
        if changes.has(changed: { $0.screen }) {
            host.setAttribute(.dataScreen, to: state.screen.name, of: .body)
        }
        if changes.has(changed: { $0.isOffline }) { host.setHidden(!state.isOffline, .offline) }
        if changes.has(changed: { $0.isCovered }) { host.setHidden(!state.isCovered, .overlay) }
        if changes.has(changed: { $0.isUpdateReady }) {
            host.setHidden(!state.isUpdateReady, .updateReady)
        }
        if changes.has(changed: { $0.isShareOffered }) {
            host.setHidden(!state.isShareOffered, .share)
        }
        if changes.has(changed: { $0.account }) { show(state.account) }
        if changes.has(changed: { $0.settings }) { show(state.settings) }
        if changes.has(changed: { $0.dialog }) {
            show(state.dialog, before: changes.previous?.dialog)
        }
        if isTranslated || changes.has(changed: { $0.notice }) { show(state.notice) }
        if isTranslated || changes.has(changed: { $0.timings }) { show(state.timings) }
        if isTranslated || changes.has(changed: { $0.queue }) { show(state.queue) }
        if isTranslated || changes.has(changed: { $0.devices }) { show(state.devices) }
        if changes.has(changed: { $0.historyState }) {
            let history = state.historyState
            host.setHidden(!history.hasMore, .historyMore)
            host.setHidden(!history.isLoaded || state.history.count > 0, .historyEmpty)
        }
        showHistory(changes, isTranslated)
    }

    private func show(_ language: Language) {
        host.setAttribute(.lang, to: language.tag, of: .root)
        host.setAttribute(.dir, to: language.isRightToLeft ? "rtl" : "ltr", of: .root)
        let stars: [Name] = [.rate1, .rate2, .rate3, .rate4, .rate5]
        for index in stars.indices {
            host.setAttribute(
                .ariaLabel,
                to: .ratingStars,
                [decimal(Int64(index + 1))],
                of: Element(stars[index])
            )
        }
        host.setAttribute(.title, to: .sendWithShortcut, [utf8("Ctrl+Enter")], of: Element(.send))
    }

    private func show(_ notice: Notice?) {
        let element = Element(.notice)
        host.setAttribute(.dataState, to: (notice?.tone ?? .info).name, of: element)
        if let notice {
            host.setText(notice.text, notice.values, of: element)
        } else {
            host.setText([], of: element)
        }
        if let text = notice?.action?.text { host.setText(text, of: Element(.noticeAction)) }
        host.setHidden(notice?.action == nil, .noticeAction)
        host.setTimer(.notice, notice?.tone == .info ? Self.noticeTime : nil)
    }

    private func show(_ account: Account) {
        let state: StaticString
        var address: [UInt8] = []
        switch account {
        case .unknown: return
        case .signedOut: state = "signed-out"
        case .codeAsked(let who, _):
            state = "code-asked"
            host.setValue(who, of: Element(.address))
        case .unreadable: state = "signed-in"
        case .signedIn(let who, _):
            state = "signed-in"
            address = who
        }
        host.setText(address, of: Element(.signedInAs))
        host.setAttribute(.dataState, to: state, of: Element(.destination))
    }

    private func show(_ settings: Settings) {
        host.setValue(settings.language.map { utf8($0.tag) } ?? [], of: Element(.language))
        host.setValue(settings.subject, of: Element(.subjectTemplate))
        host.setValue(settings.signature, of: Element(.signature))
        host.setChecked(settings.hasOverlay, Element(.privacyOverlaySetting))
    }

    private func show(_ dialog: Dialog?, before: Dialog?) {
        if let before { host.setOpen(false, dialog: before.name) }
        guard let dialog else { return }
        switch dialog {
        case .wipe(let unsent):
            host.setText(.signOutUnsent, [decimal(Int64(unsent))], of: Element(.wipeUnsent))
            host.setHidden(unsent == 0, .wipeUnsent)
        case .delete(_, let isQueued):
            host.setText(isQueued ? .deleteQueuedHint : .deleteSentHint, of: Element(.deleteText))
        case .rating: break
        }
        host.setOpen(true, dialog: dialog.name)
    }

    private func show(_ timings: Timings) {
        show(timings.timeToText, .timeToText, Element(.timeToText))
        show(timings.sendToReset, .sendToReset, Element(.sendToReset))
    }

    private func show(_ measured: [Int64], _ kind: TimingKind, _ element: Element) {
        guard let summary = TimingSummary(measured) else {
            return host.setText(.notMeasured, of: element)
        }
        host.setText(
            .timing,
            [
                TimingSummary.milliseconds(summary.median),
                TimingSummary.milliseconds(summary.latest), decimal(kind.budget.count),
            ],
            of: element
        )
    }

    private func show(_ queue: [QueueEntry]) {
        let rows = queueRows.show(queue.map { $0.key }, on: host)
        for index in queue.indices { draw(queue[index], rows[index]) }
        host.setHidden(!queue.isEmpty, .queueEmpty)
        host.setHidden(queue.isEmpty, .retryNow)
    }

    private func draw(_ entry: QueueEntry, _ row: UInt32) {
        func part(_ part: Name) -> Element { Element(.queueList, row: row, part: part) }
        let (state, reason) = entry.texts
        host.setText(state, of: part(.state))
        host.setAttribute(
            .dataState,
            to: entry.state == .queued ? "queued" : "attention",
            of: part(.none)
        )
        if let reason {
            host.setText(reason.text, reason.values, of: part(.reason))
        } else {
            host.setText([], of: part(.reason))
        }
        host.setTime(entry.createdAt, in: .waitingSince, of: part(.age))
        host.setText(.attempts, [decimal(Int64(entry.attempts))], of: part(.attempts))
        if let next = entry.nextAttemptAt {
            host.setTime(next, in: .nextAttempt, of: part(.next))
        } else {
            host.setText([], of: part(.next))
        }
        host.setText(OperationID(bytes: entry.key)?.text ?? [], of: part(.id))
    }

    private func show(_ devices: [Device]) {
        let rows = deviceRows.show(devices.map { $0.id }, on: host)
        for index in devices.indices {
            let device = devices[index]
            func part(_ part: Name) -> Element {
                Element(.deviceList, row: rows[index], part: part)
            }
            host.setText(device.name, of: part(.name))
            if device.isCurrent {
                host.setText(.deviceCurrent, of: part(.time))
            } else {
                host.setTime(
                    WallTime(millisecondsSinceEpoch: device.usedAt ?? device.createdAt),
                    in: device.usedAt == nil ? .deviceSince : .deviceUsed,
                    of: part(.time)
                )
            }
            host.setHidden(device.isCurrent || device.id.isEmpty, part(.revoke))
        }
        host.setHidden(devices.isEmpty, .deviceGroup)
    }
}

extension Changes {
    /// Whether the commit changed this part of the state.
    fileprivate func has<Value: Equatable>(changed part: (State) -> Value) -> Bool {
        ifChanged(part, { _ in }) != nil
    }
}

extension Dialog {
    fileprivate var name: Name {
        switch self {
        case .rating: .rating
        case .wipe: .wipeConfirm
        case .delete: .deleteConfirm
        }
    }
}

extension QueueEntry {
    /// The operation's state and its reason.
    var texts: (state: AppText, reason: ReasonWords?) {
        switch state {
        case .queued: (.statusQueued, reason.map { ReasonWords($0, isParked: false) })
        case .parked: (.statusParked, reason.map { ReasonWords($0, isParked: true) })
        case .quarantined:
            (.statusUnreadable, ReasonWords(unreadable: reason ?? ReasonCode(utf8: [])))
        }
    }
}
