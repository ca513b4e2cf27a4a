import LibC

/// The composer's input: keys from the terminal, and signals.
struct ComposeInput {
    /// The reason for the end of a wait.
    enum Event: Equatable {
        /// Bytes were read: ``nextKey()`` may have keys.
        case keys
        /// Nothing came in time.
        case pause
        /// A signal, or a key that is not all there, interrupted the wait: wait again.
        case nothing
        /// The other descriptor is readable.
        case readable
        /// Signals came.
        case signals(Set<Int32>)
        /// The terminal went away.
        case terminalLost
    }

    private let terminal: Int32
    private let signals: Int32
    private var reader = KeyReader()

    /// Reads from `terminal`, and starts listening to the signals that concern a composer.
    init(terminal: Int32) {
        self.terminal = terminal
        signals = ComposerSignals.listen()
    }

    /// The next key that was read; `nil` when there is none, or not all of it yet.
    mutating func nextKey() -> KeyReader.Key? { reader.next() }

    /// Waits for a signal, bytes or another descriptor; the first of them that has come is told first.
    ///
    /// - Parameters:
    ///   - pause: How many milliseconds to wait; -1 waits as long as it takes. A key that has begun has
    ///     its own time, and is given up when its rest does not come.
    ///   - other: The other descriptor; -1 for none.
    mutating func wait(pause: Int32, orReadable other: Int32) -> Event {
        var sources = [
            pollfd(fd: terminal, events: Int16(POLLIN), revents: 0),
            pollfd(fd: signals, events: Int16(POLLIN), revents: 0),
            pollfd(fd: other, events: Int16(POLLIN), revents: 0),
        ]
        let ready = poll(&sources, nfds_t(sources.count), reader.patience ?? pause)
        if ready < 0 { return errno == EINTR ? .nothing : .terminalLost }
        if ready == 0 {
            guard reader.patience != nil else { return .pause }
            reader.abandon()
            return .nothing
        }
        if sources[1].revents != 0 { return receivedSignals() }
        return sources[0].revents != 0 ? readBytes() : .readable
    }

    private mutating func readBytes() -> Event {
        let count = withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 1 << 16) { buffer in
            let count = read(terminal, buffer.baseAddress, buffer.count)
            if count > 0 { reader.append(buffer[..<count]) }
            return count
        }
        if count > 0 { return .keys }
        return count < 0 && (errno == EINTR || errno == EAGAIN) ? .nothing : .terminalLost
    }

    private func receivedSignals() -> Event {
        var numbers = [UInt8](repeating: 0, count: 64)
        let count = read(signals, &numbers, numbers.count)
        return count > 0 ? .signals(Set(numbers[..<count].map(Int32.init))) : .nothing
    }
}
