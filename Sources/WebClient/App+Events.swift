import MemoCore
import OutboxCore
import StoreCore

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
        case .onlineChanged(let isOnline): onlineChanged(isOnline)
        case .visibilityChanged(let isVisible, let hasFocus):
            visibilityChanged(isVisible, hasFocus)
        case .rung(let bell): rung(bell)
        case .navigated(let fragment): show(Screen(fragment: fragment))
        case .synced(let request): synced(request)
        case .shared(let request, let text): shared(request, text)
        case .updateReady: context.change { $0.isUpdateReady = true }
        case .updated: whenKept { self.context.host.reload() }
        case .closed(let id): closed(id)
        }
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
        case .askCode: signIn.askCode()
        case .confirmCode: signIn.confirm()
        case .signOut: signIn.askToSignOut()
        case .wipeAccept: signIn.signOut()
        case .deleteAccept: deleteAccepted()
        case .wipeCancel, .deleteCancel: context.change { $0.dialog = nil }
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
        switch (button.id, button.part) {
        case (.historyList, .copy): history.copy(button.row)
        case (.historyList, .resend): history.resend(button.row)
        case (.historyList, .delete): history.askToDelete(button.row)
        case (.queueList, .retry): views?.queueEntry(in: button.row).map { queue.retry($0) }
        case (.queueList, .delete): views?.queueEntry(in: button.row).map { queue.askToDelete($0) }
        case (.deviceList, .revoke): views?.device(in: button.row).map { signIn.revoke($0) }
        default: break
        }
    }

    private func typed(_ id: Name) {
        switch id {
        case .memo:
            drafts.typed()
            rating.typed()
        case .code: signIn.codeTyped()
        case .subjectTemplate: settings.preview()
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
        case (.wipeConfirm, .wipe), (.deleteConfirm, .delete):
            context.change { $0.dialog = nil }
        default: break
        }
    }

    private func deleteAccepted() {
        guard case .delete(let id, _) = context.store.state.dialog else { return }
        queue.delete(id)
    }

    private func noticeAction() {
        switch context.store.state.notice?.action {
        case .showQueue: go(to: .diagnostics)
        case .signIn: go(to: .settings)
        case nil: break
        }
        context.clearNotice()
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
            isKept ? body() : self.context.say(.draftNotSaved, tone: .warning)
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
            context.change { $0.screen = screen }
            if before == .history { history.close() }
        }
        switch screen {
        case .compose: if before != screen { context.host.focus(.memo) }
        case .history:
            history.open()
            statuses.read()
            context.host.focus(Element(.historyTitle))
        case .settings:
            signIn.readDevices()
            settings.preview()
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
        case .drain: drain.wake()
        case .settle: drain.settleDelayed()
        case .ghost: compose.clearLeaving()
        case .notice: context.clearNotice()
        case .warning: waiting.look()
        case .sync: context.host.registerSync()
        case .rating: rating.quietTimeIsOver()
        case .refresh: statuses.read()
        case .leave: signIn.leave(isTold: false)
        }
    }

    private func onlineChanged(_ isOnline: Bool) {
        context.change { $0.isOnline = isOnline }
        guard isOnline else { return }
        drain.networkReturned()
        drain.wake()
    }

    private func visibilityChanged(_ isVisible: Bool, _ hasFocus: Bool) {
        let state = context.store.state
        // Beside other windows an app that lost the focus is still in sight of its owner.
        let canBeBeside = !(start?.hasTouch ?? false)
        let isCovered = state.settings.hasOverlay && !(isVisible && (hasFocus || canBeBeside))
        if state.isCovered != isCovered { context.change { $0.isCovered = isCovered } }
        if isVisible {
            drain.wake()
            waiting.look()
            statuses.read()
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
            start?.role == .page ? drain.wake() : drain.rung()
            storedChanged()
        case .change:
            if drain.isEmpty, start?.role == .page { drain.wake() }
            storedChanged()
            drafts.lookForShares()
        case .account: restoreAgain {}
        case .restart: signedOutElsewhere()
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
            self.context.say(.signedOutElsewhere, tone: .error)
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

    private func shared(_ request: UInt32, _ text: [UInt8]) {
        context.whenOpen {
            self.drafts.keepShare(text) { isKept in
                self.context.host.ring(.change)
                self.context.host.finish(request, isDone: isKept)
            }
        }
    }
}
