import ConnectivityCore
import MemoCore
import MemoTexts
import OutboxCore
import StoreCore
import SyncCore
import WireCore

/// Shows the state on the page, updating only the parts that a commit changed.
final class Views {
    /// How long an answer stays that informs.
    private static let noticeTime: Int64 = 5000

    let host: Host
    let store: AppStore
    var historyRows = RowList(.historyList, template: .historyRow)
    private var queueRows = RowList(.queueList, template: .queueRow)
    private var deviceRows = RowList(.deviceList, template: .deviceRow)
    private var logRows = RowList(.logList, template: .logRow)
    private var changeRows = RowList(.changeList, template: .changeRow)
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

    func unsettledChange(in row: UInt32) -> UnsettledChange? {
        guard let key = changeRows.id(of: row) else { return nil }
        return store.state.unsettled.first { $0.key == key }
    }

    func device(in row: UInt32) -> Device? {
        guard let id = deviceRows.id(of: row) else { return nil }
        return store.state.devices.first { $0.id == id }
    }

    private func show(_ changes: Changes<AppState>) {
        let (before, state) = (changes.previous, changes.current)
        let isTranslated = before?.shownLanguage != state.shownLanguage
        if isTranslated { show(state.shownLanguage) }
        if before?.screen != state.screen {
            host.setAttribute(.dataScreen, to: state.screen.name, of: .body)
        }
        if isTranslated || before?.network.isConnected != state.network.isConnected
            || before?.isRelayReached != state.isRelayReached
        {
            host.setText(
                state.network.isConnected ? .unreached : .offline,
                of: Element(.offlineText)
            )
            host.setHidden(state.network.isConnected && state.isRelayReached, .offline)
        }
        if before?.isCovered != state.isCovered { host.setHidden(!state.isCovered, .overlay) }
        if before?.isUpdateReady != state.isUpdateReady {
            host.setHidden(!state.isUpdateReady, .updateReady)
        }
        if before?.offeredShare != state.offeredShare {
            host.setText(state.offeredShare ?? [], of: Element(.shareText))
            host.setHidden(state.offeredShare == nil, .share)
        }
        if before?.isPersistenceRefused != state.isPersistenceRefused {
            host.setHidden(!state.isPersistenceRefused, .storageHint)
        }
        if isTranslated || before?.hasUnseenFailure != state.hasUnseenFailure {
            showFailure(state.hasUnseenFailure)
        }
        if before?.offersNotices != state.offersNotices {
            host.setHidden(!state.offersNotices, .notify)
        }
        if let address = state.keptFor, before?.keptFor != address {
            host.setValue(address, of: Element(.address))
        }
        if before?.account != state.account { show(state.account) }
        if before?.settings != state.settings { show(state.settings, before: before?.settings) }
        if before?.dialog != state.dialog {
            show(state.dialog, before: before?.dialog)
        }
        if isTranslated || before?.notice != state.notice {
            show(state.notice, isTimed: state.notices.isTimed)
        }
        if isTranslated || before?.complaint != state.complaint {
            show(state.complaint, before: before?.complaint)
        }
        if isTranslated || before?.timings != state.timings {
            show(state.timings, state.shownLanguage)
        }
        if isTranslated || before?.queue != state.queue { show(state.queue) }
        if isTranslated || before?.log != state.log { show(state.log) }
        if isTranslated || before?.devices != state.devices { show(state.devices) }
        if isTranslated || before?.sharing != state.sharing { show(state.sharing) }
        if isTranslated || before?.unsettled != state.unsettled { show(state.unsettled) }
        if before?.historyState != state.historyState {
            host.setHidden(!state.historyState.hasMore, .historyMore)
        }
        if before?.isHistoryEmpty != state.isHistoryEmpty {
            host.setHidden(!state.isHistoryEmpty, .historyEmpty)
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

    private func show(_ notice: Notice?, isTimed: Bool) {
        let element = Element(.notice)
        host.setAttribute(.dataState, to: (notice?.tone ?? .info).name, of: element)
        if let notice {
            host.setText(notice.text, notice.values, of: element)
        } else {
            host.setText([], of: element)
        }
        if let text = notice?.action?.text { host.setText(text, of: Element(.noticeAction)) }
        host.setHidden(notice?.action == nil, .noticeAction)
        host.setTimer(.notice, isTimed ? Self.noticeTime : nil)
    }

    /// A mark at the way to the history, and its words.
    private func showFailure(_ isUnseen: Bool) {
        let element = Element(.openHistory)
        host.setAttribute(.dataState, to: isUnseen ? "attention" : "", of: element)
        isUnseen
            ? host.setAttribute(.title, to: .notArrived, of: element)
            : host.removeAttribute(.title, of: element)
    }

    private func show(_ complaint: Complaint?, before: Complaint?) {
        if let before {
            host.removeAttribute(.ariaInvalid, of: Element(before.field))
            // A screen reader tells a wait once, and not each second of it.
            let isWait = before.seconds != nil && complaint?.seconds != nil
            host.setAttribute(.ariaLive, to: isWait ? "off" : "polite", of: before.element)
            if !isWait { host.setText([], of: before.element) }
        }
        guard let complaint else { return }
        host.setAttribute(.ariaInvalid, to: "true", of: Element(complaint.field))
        host.setText(complaint.text, complaint.values, of: complaint.element)
    }

    private func show(_ account: Account) {
        let state: StaticString
        var address: [UInt8] = []
        switch account {
        case .unknown: return
        case .signedOut, .refused: state = "signed-out"
        case .codeAsked(let who, let isLong):
            state = "code-asked"
            host.setValue(who, of: Element(.address))
            host.setAttribute(.inputmode, to: isLong ? "text" : "numeric", of: Element(.code))
        case .unreadable: state = "signed-in"
        case .signedIn(let who, _):
            state = "signed-in"
            address = who
        }
        host.setText(address, of: Element(.signedInAs))
        host.setAttribute(.dataState, to: state, of: Element(.destination))
    }

    /// Shows what another device, or another page, may have changed while a person writes.
    private func show(_ settings: Settings, before: Settings?) {
        if settings.language != before?.language {
            host.setValue(settings.language.map { utf8($0.tag) } ?? [], of: Element(.language))
        }
        if settings.subject != before?.subject {
            host.offerValue(settings.subject, to: Element(.subjectTemplate))
        }
        if settings.signature != before?.signature {
            host.offerValue(settings.signature, to: Element(.signature))
        }
        host.setChecked(settings.hasOverlay, Element(.privacyOverlaySetting))
    }

    private func show(_ dialog: Dialog?, before: Dialog?) {
        if let before { host.setOpen(false, dialog: before.name) }
        guard let dialog else { return }
        switch dialog {
        case .wipe(let unsent, let changes):
            host.setText(.signOutUnsent, [decimal(Int64(unsent))], of: Element(.wipeUnsent))
            host.setHidden(unsent == 0, .wipeUnsent)
            host.setText(.changesUnconfirmed, [decimal(Int64(changes))], of: Element(.wipeChanges))
            host.setHidden(changes == 0, .wipeChanges)
            let isKept = unsent + changes > 0 && store.state.account.token != nil
            host.setHidden(!isKept, .wipeKeep)
        case .delete(_, let isQueued):
            ask(.deleteQuestion, accept: .delete)
            host.setText(isQueued ? .deleteQueuedHint : .deleteSentHint, of: Element(.confirmText))
        case .revoke(let device):
            ask(.deviceQuestion, accept: .signOut)
            host.setText(.deviceHint, [device.name], of: Element(.confirmText))
        case .rating: break
        }
        host.setOpen(true, dialog: dialog.name)
    }

    private func ask(_ question: AppText, accept: AppText) {
        host.setText(question, of: Element(.confirmTitle))
        host.setText(accept, of: Element(.confirmAccept))
    }

    private func show(_ timings: Timings, _ language: Language) {
        show(timings.timeToText, .timeToText, Element(.timeToText), language)
        show(timings.sendToReset, .sendToReset, Element(.sendToReset), language)
        // A person who has sent a memo here knows what sending does.
        timings.sendToReset.isEmpty
            ? host.setAttribute(.placeholder, to: .firstHint, of: .memo)
            : host.setAttribute(.placeholder, to: " ", of: .memo)
    }

    private func show(
        _ measured: [Int64],
        _ kind: TimingKind,
        _ element: Element,
        _ language: Language
    ) {
        guard let summary = TimingSummary(measured) else {
            return host.setText(.notMeasured, of: element)
        }
        host.setText(
            .timing,
            [
                TimingSummary.milliseconds(summary.median, in: language),
                TimingSummary.milliseconds(summary.latest, in: language),
                decimal(kind.budget.count),
            ],
            of: element
        )
    }

    private func show(_ queue: [QueueEntry]) {
        let rows = queueRows.show(queue.map { $0.key }, on: host)
        for index in queue.indices { draw(queue[index], rows[index]) }
        host.setHidden(!queue.isEmpty, .queueEmpty)
        host.setHidden(queue.count < 2, .retryNow)
    }

    private func show(_ log: [TransitionLog.Entry]) {
        let rows = logRows.show(
            log.map { $0.time.ordered + [$0.transition.state] + $0.transition.key },
            on: host
        )
        for index in log.indices {
            func part(_ part: Name) -> Element { Element(.logList, row: rows[index], part: part) }
            let transition = log[index].transition
            host.setText(log[index].text, of: part(.state))
            host.setTime(log[index].time, of: part(.time))
            host.setText(transition.kind, of: part(.name))
            host.setText(transition.error, of: part(.reason))
            host.setText(OperationID(bytes: transition.key)?.text ?? [], of: part(.id))
        }
    }

    private func draw(_ entry: QueueEntry, _ row: UInt32) {
        func part(_ part: Name) -> Element { Element(.queueList, row: row, part: part) }
        let (state, reason) = entry.texts
        if let text = entry.text {
            host.setText(text, of: part(.text))
        } else {
            host.setText(.memoUnreadable, of: part(.text))
        }
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

extension Views {
    private func show(_ sharing: SharingState) {
        for name in [Name.syncState, .syncNews] {
            let element = Element(name)
            if sharing.isSyncing {
                host.setText(.syncing, of: element)
            } else if sharing.pending > 0 {
                host.setText(.changesUnconfirmed, [decimal(Int64(sharing.pending))], of: element)
            } else if let last = sharing.lastSynced {
                host.setTime(last, in: .syncedAt, of: element)
            } else {
                host.setText([], of: element)
            }
        }
    }

    private func show(_ changes: [UnsettledChange]) {
        let rows = changeRows.show(changes.map { $0.key }, on: host)
        for index in changes.indices {
            let change = changes[index]
            func part(_ part: Name) -> Element {
                Element(.changeList, row: rows[index], part: part)
            }
            host.setText(change.mine, of: part(.text))
            if let theirs = change.theirs {
                host.setText(.changeMet, [theirs], of: part(.reason))
            } else {
                host.setText(.changeRefused, of: part(.reason))
            }
            host.setHidden(change.field == .none, part(.edit))
        }
    }
}

extension UnsettledChange {
    /// The key of the change's row.
    fileprivate var key: [UInt8] {
        bigEndian(id.number) + bigEndian(id.node.high) + bigEndian(id.node.low)
    }
}

extension Complaint {
    /// The element beside the field.
    fileprivate var element: Element {
        switch field {
        case .address: Element(.addressError)
        case .code: Element(.codeError)
        case .signature: Element(.signatureError)
        default: Element(.subjectError)
        }
    }
}

extension Dialog {
    fileprivate var name: Name {
        switch self {
        case .rating: .rating
        case .wipe: .wipeConfirm
        case .delete, .revoke: .confirm
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
