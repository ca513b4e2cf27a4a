import EditLine
import LibC
import MemoCore
import MemoKit

extension Composer {
    /// The next key for libedit; `nil` to end.
    func nextKey() -> Int32? {
        while true {
            if !queue.isEmpty { return queue.removeFirst() }
            // Between keys: libedit has performed the last one and drawn its outcome.
            if let notice {
                show(notice)
                self.notice = nil
                editline_redraw(session)
            }
            if let aside = setAside {
                setAside = nil
                text.replace(aside.scalars, position: aside.position)
                editline_redraw(session)
                continue
            }
            if !hasBegun {
                begin()
                continue
            }
            if mayNeedSettling {
                mayNeedSettling = false
                if text.needsSettling { return ComposerCommand.settle.key }
            }
            if let key = keys.next() {
                take(key)
                continue
            }
            noteReady()
            guard notice == nil else { continue }
            guard wait() else { return nil }
        }
    }

    /// Restores the draft of an interrupted compose, once the field is there.
    private func begin() {
        hasBegun = true
        do {
            guard let draft = try openedBox().draft() else { return }
            let scalars = draft.unicodeScalars.map(\.value)
            setAside = (scalars, scalars.count)
        } catch {
            notice = error.sentence(in: language)
        }
    }

    private func take(_ key: KeyReader.Key) {
        switch key {
        case .text(let scalars), .paste(let scalars):
            guard !scalars.isEmpty else { return }
            pending = scalars
        case .control(0x04, alt: false): sentAt = clock.now()
        default: break
        }
        let commands = ComposerCommand.keys(for: key)
        if commands != [ComposerCommand.leave.key] { isLossAnnounced = false }
        queue += commands
        mayNeedSettling = true
        isDraftDue = true
    }

    /// Notes the time at which the field took typing, first after the start, then after each send.
    private func noteReady() {
        if !isReady {
            isReady = true
            if isCapable { send("\u{1B}[?2004h") }
        }
        guard let box else { return }
        if let microseconds = clock.takeTimeToReady() {
            box.recordTiming(.timeToText, microseconds: microseconds)
            // Now that nobody waits for the field.
            box.summonAgentForRest()
            if let damage = try? box.damage(checkingUpTo: 0).first {
                notice = damage.sentence(in: language)
            } else if box.isAnythingLate() {
                notice = language.string(CommandText.waitingLong)
            }
            if notice != nil { setTextAside() }
        }
        if let sentAt {
            self.sentAt = nil
            box.recordTiming(.sendToReset, microseconds: (clock.now() - sentAt) / 1000)
        }
    }

    /// Waits for input, a signal, or a pause in typing.
    ///
    /// - Returns: `false` to end.
    private func wait() -> Bool {
        var sources = [
            pollfd(fd: input, events: Int16(POLLIN), revents: 0),
            pollfd(fd: signals, events: Int16(POLLIN), revents: 0),
        ]
        let pause = keys.patience ?? (isDraftDue ? Self.draftPause : -1)
        let ready = poll(&sources, nfds_t(sources.count), pause)
        if ready < 0 { return errno == EINTR }
        if ready == 0 {
            if keys.patience != nil { keys.abandon() } else { saveDraft() }
            if notice != nil { setTextAside() }
            return true
        }
        if sources[1].revents != 0 { return handleSignals() }
        return fill()
    }

    private func fill() -> Bool {
        let count = withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 1 << 16) { buffer in
            let count = read(input, buffer.baseAddress, buffer.count)
            if count > 0 { keys.append(buffer[..<count]) }
            return count
        }
        if count > 0 || count < 0 && (errno == EINTR || errno == EAGAIN) { return true }
        end = .terminalLost
        return false
    }

    private func handleSignals() -> Bool {
        var numbers = [UInt8](repeating: 0, count: 64)
        let count = read(signals, &numbers, numbers.count)
        guard count > 0 else { return true }
        let received = Set(numbers[..<count].map(Int32.init))
        if let ending = ComposerSignals.ending.first(where: received.contains) {
            end = .signal(ending)
            return false
        }
        if received.contains(SIGCONT) {
            resume()
        } else if received.contains(SIGWINCH) {
            resize()
        }
        return true
    }
}
