import ConnectivityCore
import MemoCore
import MemoTexts
import OutboxCore
import StoreCore
import WireCore

extension App {
    func handle(_ event: Event) {
        switch event {
        case .started(let start): self.start(start)
        case .answered(let request, let answer): context.host.answered(request, answer)
        case .clicked(let button): button.row == 0 ? clicked(button.id) : clicked(button)
        case .typed(let id): typed(id)
        case .chosen(let id, let value): chosen(id, value)
        case .pressed(let id, let key, let value): pressed(id, key, value)
        case .timerFired(let timer): fired(timer)
        case .networkChanged(let connection): networkChanged(connection)
        case .visibilityChanged(let isVisible, let hasFocus):
            visibilityChanged(isVisible, hasFocus)
        case .rung(let bell): rung(bell)
        case .navigated(let fragment):
            seek(fragment)
            show(Screen(fragment: fragment))
        case .synced(let request): synced(request)
        case .shared(let request, let text): shared(request, text)
        case .updateReady: context.change { $0.isUpdateReady = true }
        case .updated: whenKept { self.context.host.reload() }
        case .closed(let id): closed(id)
        case .resendAsked(let request, let id): resendAsked(request, id)
        }
        if case .answered = event { return }
        if case .timerFired = event { return }
        sharing.touched()
    }

    func handle(_ occurrence: Occurrence) {
        switch occurrence {
        case .memoStored: memoStored()
        case .operationDue(let envelope, let payload): attempt(envelope, payload)
        case .operationSettled:
            context.host.ring(.change)
            storedChanged()
        case .operationRequeued: drain.wake()
        case .drainRested: rested()
        case .historyShown: historyShown()
        case .memoDeleted: storedChanged()
        case .statusesStored:
            context.host.ring(.change)
            storedChanged()
        case .sharedChanged:
            sharing.show()
            guard isShowing else { return }
            signIn.showDevices()
            settings.showUnsettled()
            history.changed()
        case .settingsShared: if isShowing { settings.showLanguage {} }
        case .sharedEdited: sharing.wake()
        case .sharingRested: settings.share()
        case .signedIn:
            deliver()
            sharing.wake()
        case .accountOutdated: restoreAgain {}
        case .tokenRefused(let token): signIn.refused(token)
        }
    }

    private func memoStored() {
        context.host.ring(.work)
        context.host.setTimer(.sync, Self.syncDelay)
        drain.wake()
        guard start?.role == .page else { return }
        waiting.look()
        rating.sent()
        context.keepOpenly(.timings, context.store.state.timings.encoded())
        askForPersistence()
    }

    // MARK: The person

    private func clicked(_ id: Name) {
        switch id {
        case .send: compose.send()
        case .openHistory: go(to: .history)
        case .openSettings: go(to: .settings)
        case .openDiagnostics: go(to: .diagnostics)
        case .historyBack, .settingsBack: go(to: .compose)
        case .diagnosticsBack: go(to: .settings)
        case .historyMore: history.showMore()
        case .notify: notices.ask()
        case .askCode: signIn.askCode()
        case .confirmCode: signIn.confirm()
        case .signOut: signIn.askToSignOut()
        case .wipeAccept: signIn.signOut()
        case .wipeKeep: signIn.signOutKeeping()
        case .confirmAccept: confirmed()
        case .wipeCancel, .confirmCancel: context.change { $0.dialog = nil }
        case .rate1: rating.rated(1)
        case .rate2: rating.rated(2)
        case .rate3: rating.rated(3)
        case .rate4: rating.rated(4)
        case .rate5: rating.rated(5)
        case .ratingDismiss: rating.dismissed()
        case .retryNow: retryNow()
        case .noticeAction: noticeAction()
        case .updateReady: update()
        case .shareTake: drafts.takeShares()
        case .shareDiscard: drafts.discardShares()
        default: break
        }
    }

    private func clicked(_ button: Element) {
        if let entry = views?.historyEntry(in: button) { return clicked(button.part, entry) }
        switch (button.id, button.part) {
        case (.queueList, .retry): views?.queueEntry(in: button.row).map { queue.retry($0.key) }
        case (.queueList, .delete): views?.queueEntry(in: button.row).map { queue.askToDelete($0) }
        case (.deviceList, .revoke):
            views?.device(in: button.row).map { device in
                context.change { $0.dialog = .revoke(device) }
            }
        case (.changeList, let part):
            views?.unsettledChange(in: button.row).map { settings.settle($0, by: part) }
        default: break
        }
    }

    private func clicked(_ part: Name, _ entry: HistoryEntry) {
        switch part {
        case .copy: history.copy(entry)
        case .resend: history.resend(entry)
        case .delete: history.askToDelete(entry)
        case .retry: queue.retry(entry.id.bytes)
        case .whole: history.showWhole(entry)
        default: break
        }
    }

    private func typed(_ id: Name) {
        switch id {
        case .memo:
            if !context.store.state.notices.isTimed, context.store.state.notices.has(.answer) {
                context.change { $0.notices.edited() }
            }
            drafts.typed()
            rating.typed()
        case .code: signIn.codeTyped()
        case .subjectTemplate:
            context.endComplaint()
            settings.preview()
        case .address, .signature: context.endComplaint()
        default: break
        }
    }

    private func chosen(_ id: Name, _ value: [UInt8]) {
        switch id {
        case .language: settings.chose(language: value)
        case .privacyOverlaySetting: settings.chose(overlay: value)
        case .subjectTemplate: settings.chose(subject: value)
        case .signature: settings.chose(signature: value)
        default: break
        }
    }

    private func pressed(_ id: Name, _ key: [UInt8], _ value: [UInt8]) {
        let state = context.store.state
        if key == "Enter", state.screen == .compose, state.dialog == nil {
            id == .memo ? compose.send(value) : compose.send()
        }
        if key == "Escape", state.dialog == nil {
            switch state.screen {
            case .compose: break
            case .history, .settings: go(to: .compose)
            case .diagnostics: go(to: .settings)
            }
        }
    }

    private func closed(_ id: Name) {
        switch (id, context.store.state.dialog) {
        case (.rating, .rating): rating.dismissed()
        case (.wipeConfirm, .wipe), (.confirm, .delete), (.confirm, .revoke):
            context.change { $0.dialog = nil }
        default: break
        }
    }

    private func confirmed() {
        switch context.store.state.dialog {
        case .delete(let id, _): queue.delete(id)
        case .revoke(let device): signIn.revoke(device)
        case .rating, .wipe, nil: break
        }
    }

    private func noticeAction() {
        switch context.store.state.notice?.action {
        case .showQueue:
            context.end(.late)
            go(to: .diagnostics)
        case .showHistory: go(to: .history)
        case .signIn:
            go(to: .settings)
            context.host.focus(Element(.address))
        case nil: break
        }
    }

    private func retryNow() {
        outbox.endWaits(for: nil, now: context.clock.now) {
            self.drain.wake()
            self.queue.read()
        }
    }

    private func update() {
        whenKept { self.context.host.activateUpdate() }
    }

    /// Runs `body` once the field's text is saved as a draft, so that it outlives the page.
    private func whenKept(_ body: @escaping () -> Void) {
        drafts.flush { isKept in
            isKept ? body() : self.context.say(.draftNotSaved, tone: .warning, about: .draft)
        }
    }

    // MARK: Screens

    /// Goes to a screen, so that the browser's way back leads out of it.
    private func go(to screen: Screen) {
        let isBack = context.store.state.screen > screen
        context.host.navigate(to: utf8("/") + screen.fragment, replacing: isBack)
        show(screen)
    }

    func show(_ screen: Screen) {
        let before = context.store.state.screen
        if before != screen {
            context.host.beginTransition()
            context.change { state in
                state.screen = screen
                state.notices.screenChanged()
                state.complaint = nil
            }
            if before == .history { history.close() }
        }
        switch screen {
        case .compose: if before != screen { context.host.focus(.memo) }
        case .history:
            history.open()
            waiting.look()
            sharing.wake()
            context.host.focus(Element(.historyTitle))
        case .settings:
            signIn.readDevices()
            sharing.wake()
            settings.preview()
            settings.showUnsettled()
            context.host.focus(Element(.settingsTitle))
        case .diagnostics:
            queue.read()
            context.host.focus(Element(.diagnosticsTitle))
        }
    }

    // MARK: The device

    private func fired(_ timer: Timer) {
        switch timer {
        case .draft: drafts.paused()
        case .drain: drain.timerFired()
        case .settle: drain.settleAgain()
        case .ghost: compose.clearLeaving()
        case .notice: context.change { $0.notices.timeIsOver() }
        case .warning: waiting.look()
        case .sync: context.host.registerSync()
        case .rating: rating.quietTimeIsOver()
        case .share: sharing.timerFired()
        case .leave: signIn.leave(isTold: false)
        case .wait: signIn.waited()
        }
    }

    /// A browser tells much that changes nothing: a connection that became a little quicker.
    private func networkChanged(_ connection: Connection) {
        let before = context.store.state.network
        let network = before.following(
            isConnected: connection.isConnected,
            connectionType: connection.type
        )
        guard network != before else { return }
        context.change { $0.network = network }
        guard network.arrivals > before.arrivals else { return }
        drain.networkReturned()
        drain.wake()
        sharing.wake()
    }

    private func visibilityChanged(_ isVisible: Bool, _ hasFocus: Bool) {
        let state = context.store.state
        // Beside other windows an app that lost the focus is still in sight of its owner.
        let canBeBeside = !(start?.hasTouch ?? false)
        let isCovered = state.settings.hasOverlay && !(isVisible && (hasFocus || canBeBeside))
        if state.isCovered != isCovered || state.isInSight != isVisible {
            context.change {
                $0.isCovered = isCovered
                $0.isInSight = isVisible
            }
        }
        sharing.seen()
        if isVisible {
            drain.wake()
            waiting.look()
            drafts.lookForShares()
        } else {
            drafts.flush { _ in }
            if !drain.isEmpty { context.host.registerSync() }
        }
    }

    private func rung(_ bytes: [UInt8]) {
        guard let bell = bytes.first.flatMap({ Bell(rawValue: $0) }) else { return }
        switch bell {
        case .work:
            // The page that enqueued may end before it has delivered: every page sets its timer.
            start?.role == .page ? drain.wake() : drain.changed()
            storedChanged()
        case .change:
            if drain.isEmpty, start?.role == .page { drain.wake() }
            storedChanged()
            drafts.lookForShares()
        case .account: restoreAgain {}
        case .restart: signedOutElsewhere()
        case .shared: shared.changed()
        }
    }

    /// Another page has deleted everything. A text in the field stays there for the person to copy.
    private func signedOutElsewhere() {
        guard start?.role == .page else { return context.host.reload() }
        context.vault.close(.signedOut)
        drafts.signedOut()
        context.host.readValue(of: .memo) { text in
            guard !text.isEmpty else { return self.context.host.reload() }
            self.history.close()
            self.context.change { $0.account = .signedOut }
            self.context.say(.signedOutElsewhere, tone: .error, about: .storage)
        }
    }

    // MARK: The service worker

    private func synced(_ request: UInt32) {
        context.whenOpen {
            // The browser has found a network. The person may have signed in since this worker
            // began.
            self.answerWhenRested(request)
            self.drain.networkReturned()
            self.restoreAgain {}
        }
    }

    private func resendAsked(_ request: UInt32, _ text: [UInt8]) {
        context.whenOpen {
            // The signature may have changed since this worker began.
            self.restoreAgain {
                guard let id = OperationID(text: text) else {
                    return self.context.host.finish(request, isDone: false)
                }
                self.resend(request, id)
            }
        }
    }

    private func shared(_ request: UInt32, _ text: [UInt8]) {
        context.whenOpen {
            self.drafts.keepShare(text) { isKept in
                self.context.host.ring(.change)
                self.context.host.finish(request, isDone: isKept)
            }
        }
    }
}
