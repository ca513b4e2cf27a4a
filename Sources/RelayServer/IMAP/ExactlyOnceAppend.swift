import OutboxCore

/// The order of commands by which a mail is in a folder exactly once, whatever the folder thinks of
/// equal Message-IDs, and wherever a connection, a server or the relay ends.
///
/// 1. Nothing is appended that a search has found.
/// 2. An append without an answer is followed by another one only after a search.
/// 3. After an append beside which another one of the mail may have been running, copies that arrived
///    later than the first one are removed, then and at each of ``AppendHistory/looks`` later looks.
/// 4. A look appends nothing, and leaves a single copy alone: a person may have moved the mail.
/// 5. Only a copy beside which an older one is in the folder is removed.
/// 6. A search looks at what has arrived since the latest one for the mail in the same folder, if there
///    is one. Where a second copy has arrived, the whole folder is searched.
///
/// The limits: a server that executes an append later than the last look, and a person who moves or
/// removes the mail before the search that follows a lost answer, get a second copy.
struct ExactlyOnceAppend<Commands: MailboxCommands> {
    let commands: Commands
    let earlier: EarlierSearches
    /// The mail's Message-ID.
    let messageID: String
    let history: AppendHistory
    /// Whether a process before this one may have appended the mail, and told nobody.
    let mayHaveBeenTried: Bool
    /// The wait before the first look; each further one is twice as long.
    let firstWait: Milliseconds

    /// One attempt.
    func run() -> MailOutcome {
        if case .settling(let look) = history { return settle(look) }
        let found: [MailboxCopy]
        do throws(MailboxFailure) {
            found = try search()
        } catch {
            return notAppended(error)
        }
        guard let first = found.first else { return append() }
        do throws(MailboxFailure) {
            try commands.markUnread(first)
            try commands.remove(Array(found.dropFirst()))
        } catch {
            return notAppended(error)
        }
        return mayHaveSeveral ? settling(1) : .accepted
    }

    private func append() -> MailOutcome {
        let copy: MailboxCopy?
        do throws(MailboxFailure) {
            copy = try commands.append()
        } catch {
            switch error {
            case .failed(let reason): return .tryLater(reason)
            case .unanswered: return lookAfterUnanswered()
            }
        }
        guard mayOverlap else {
            do throws(MailboxFailure) {
                try markUnread(copy)
                return .accepted
            } catch {
                return notAppended(error)
            }
        }
        do throws(MailboxFailure) {
            let found = try search()
            try markUnread(found.first ?? copy)
            try commands.remove(Array(found.dropFirst()))
        } catch {
            return .unknown(of: .severalUnanswered)
        }
        return settling(1)
    }

    private func markUnread(_ copy: MailboxCopy?) throws(MailboxFailure) {
        if let copy {
            try commands.markUnread(copy)
        } else if let found = try search().first {
            try commands.markUnread(found)
        }
    }

    /// The copies of the mail. Several are in the folder now. A single one may be there no more, if an
    /// earlier search has found it: a person may have moved the mail, who has it.
    private func search() throws(MailboxFailure) -> [MailboxCopy] {
        if let known = earlier.search(for: messageID), known.view.reached < .max {
            let later = try commands.search(from: known.view.reached + 1)
            if var view = later.view, view.validity == known.view.validity,
                known.copy == nil || later.copies.isEmpty
            {
                view.note(known.view.reached)
                let copies = known.copy.map { [$0] } ?? later.copies
                earlier.note(FolderSearch(copies: copies, view: view), for: messageID)
                return copies
            }
        }
        let whole = try commands.search(from: 1)
        earlier.note(whole, for: messageID)
        return whole.copies
    }

    /// An append without an answer has most often succeeded, and the search for it needs no wait.
    private func lookAfterUnanswered() -> MailOutcome {
        guard !mayOverlap else { return .unknown(of: .severalUnanswered) }
        do throws(MailboxFailure) {
            guard let copy = try search().first else { return .unknown(of: .unanswered) }
            try commands.markUnread(copy)
            return .accepted
        } catch {
            return .unknown(of: .unanswered)
        }
    }

    private func settle(_ look: Int) -> MailOutcome {
        do throws(MailboxFailure) {
            try commands.remove(Array(search().dropFirst()))
        } catch {
            return settling(look, after: nil)
        }
        return look < AppendHistory.looks ? settling(look + 1) : .accepted
    }

    private func settling(_ look: Int) -> MailOutcome {
        settling(look, after: Milliseconds(firstWait.count << (look - 1)))
    }

    private func settling(_ look: Int, after wait: Milliseconds?) -> MailOutcome {
        .settling(AppendHistory.settling(look: look).reason ?? "imap.settling.1", after: wait)
    }

    /// Whether an append of an earlier attempt may be running.
    private var mayOverlap: Bool { mayHaveBeenTried || history != .none }

    /// Whether more than one append of earlier attempts may be running.
    private var mayHaveSeveral: Bool { mayHaveBeenTried || history == .severalUnanswered }

    /// The outcome of an attempt that has left nothing new in doubt.
    private func notAppended(_ failure: MailboxFailure) -> MailOutcome {
        switch failure {
        case .failed(let reason): .tryLater(reason)
        case .unanswered: .tryLater("imap.connection")
        }
    }
}

extension MailOutcome {
    fileprivate static func unknown(of history: AppendHistory) -> MailOutcome {
        .unknown(history.reason ?? "imap.unanswered")
    }
}
