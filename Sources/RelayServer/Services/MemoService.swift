import MemoCore
package import OutboxCore
package import RelayAPI
package import RelayRules

/// Accepts memos and reports their statuses.
package struct MemoService<Store: MemoStore>: Sendable {
    let store: Store
    let secret: RelaySecret
    let renderer: MailRenderer
    let limits: MemoLimits
    let reserve: DiskReserve
    let clock: WallClock

    /// The answer to an accepted memo.
    package struct Answer: Sendable {
        /// The JSON of a `MemoAcceptance`; a repeated request gets the same bytes.
        package let body: [UInt8]
        package let isReplay: Bool
        /// The use of the limits; empty for a replay, which counts against no limit.
        let usages: [LimitUsage]
    }

    package init(
        store: Store,
        secret: RelaySecret,
        renderer: MailRenderer,
        limits: MemoLimits,
        reserve: DiskReserve,
        clock: @escaping WallClock
    ) {
        self.store = store
        self.secret = secret
        self.renderer = renderer
        self.limits = limits
        self.reserve = reserve
        self.clock = clock
    }

    /// Refuses a memo that ``accept(_:as:from:networks:)`` would refuse for the limits, or for the
    /// disk, before the memo's body is received. A forecast, by reads alone: `accept` decides.
    ///
    /// - Parameters:
    ///   - id: The memo's identifier.
    ///   - device: The memo's sender.
    ///   - networks: The names of the networks that the memo comes from, the narrowest first.
    ///   - bodyLength: The length of the body, in bytes; 0 if it is not known.
    /// - Returns: The use of the limits.
    /// - Throws: ``Refusal``; the store's own errors.
    package func checkLimits(
        of id: OperationID,
        from device: AuthenticatedDevice,
        networks: [String],
        bodyLength: Int
    ) async throws -> [LimitUsage] {
        let usages = try await store.usages(
            of: MemoSender(device, networks: networks, secret: secret),
            limits: limits,
            at: clock()
        )
        let bytes = Self.leastMail(ofBody: bodyLength)
        let isOverLimit = usages.contains { $0.isExceeded(by: bytes) }
        let hasRoom = reserve.hasRoom()
        guard isOverLimit || !hasRoom, try await known(id, to: device) == nil else {
            return usages
        }
        throw hasRoom ? Refusal.overLimit(usages, bytes: bytes) : .diskReserved
    }

    /// Takes responsibility for a memo: once this returns, the memo survives anything but the loss
    /// of the disk.
    ///
    /// A memo that was accepted before, from any account of the mailbox, is answered again before limits
    /// count, so that a device that lost the answer is never refused.
    ///
    /// - Parameters:
    ///   - request: The memo.
    ///   - id: The memo's identifier.
    ///   - device: The memo's sender.
    ///   - networks: The names of the networks that the memo comes from, the narrowest first.
    /// - Throws: ``Refusal``; the store's own errors. After any error nothing was accepted.
    package func accept(
        _ request: MemoRequest,
        as id: OperationID,
        from device: AuthenticatedDevice,
        networks: [String]
    ) async throws -> Answer {
        guard request.text.utf8.count <= MemoRule.longest,
            (request.subject?.utf8.count ?? 0) <= RelayLimits.subjectLength
        else { throw Refusal.tooLarge }
        guard !request.text.isEmpty else { throw Refusal.emptyMemo }
        let content = contentCode(of: request)
        guard reserve.hasRoom() else {
            guard let earlier = try await known(id, to: device) else {
                throw Refusal.diskReserved
            }
            return try replay(earlier, content: content)
        }
        let now = clock()
        let acceptance = MemoAcceptance(
            id: String(decoding: id.text, as: UTF8.self),
            status: .accepted
        )
        let sender = MemoSender(device, networks: networks, secret: secret)
        let memo = NewMemo(
            id: id,
            account: device.account,
            mailbox: secret.mailbox(of: device.address),
            sender: sender,
            device: device.id,
            contentCode: content,
            response: try RelayJSON.encode(acceptance),
            acceptedAt: now,
            mail: mail(for: request, id: id, device: device, date: now)
        )
        switch try await store.accept(memo, limits: limits) {
        case .accepted(let usages):
            return Answer(body: memo.response, isReplay: false, usages: usages)
        case .acceptedBefore(let earlier): return try replay(earlier, content: content)
        case .revoked: throw Refusal.tokenRevoked
        case .overLimit(let usages): throw Refusal.overLimit(usages, bytes: memo.size)
        }
    }

    /// The status of a memo of the device's account.
    ///
    /// - Throws: ``Refusal/notFound``; the store's own errors.
    package func status(of id: OperationID, for device: AuthenticatedDevice) async throws
        -> MemoStatus
    {
        guard let memo = try await store.memo(id, of: device.account) else {
            throw Refusal.notFound
        }
        return MemoStatus(
            id: String(decoding: id.text, as: UTF8.self),
            status: memo.status,
            reason: memo.reason
        )
    }

    /// The changes of the account's memos since the answer that held `cursor`.
    ///
    /// - Parameters:
    ///   - cursor: `nil` for all known changes. A cursor that this relay did not make for this
    ///     account, or that is ahead of the stored changes, counts as `nil`, and the answer says
    ///     so.
    ///   - device: The device that asks.
    /// - Throws: The store's own errors.
    package func changes(
        after cursor: String?,
        for device: AuthenticatedDevice
    ) async throws -> MemoChanges {
        let cursors = ChangeCursor(secret: secret, account: device.account)
        let limit = RelayLimits.changesPage
        var number = cursor.flatMap { cursors.numbers(of: $0, count: 1)?.first }
        var list = try await store.changes(
            of: device.account,
            after: number ?? 0,
            limit: limit + 1
        )
        if let after = number, after > list.latest {
            number = nil
            list = try await store.changes(of: device.account, after: 0, limit: limit + 1)
        }
        let page = list.changes.prefix(limit)
        return MemoChanges(
            changes: page.map { change in
                MemoStatus(
                    id: String(decoding: change.id.text, as: UTF8.self),
                    status: change.status,
                    reason: change.reason
                )
            },
            cursor: cursors.text(of: page.last?.number ?? number ?? 0),
            more: list.changes.count > limit,
            restarted: cursor != nil && number == nil
        )
    }

    /// The least size of the mail of a memo whose body has this many bytes: every byte of the text
    /// may need six in JSON, and a mail is no shorter than its text.
    private static func leastMail(ofBody length: Int) -> Int {
        max(0, (length - 1024) / 6 - RelayLimits.subjectLength)
    }

    /// The record of a memo that was accepted before, from the device's account or from another one of
    /// its mailbox.
    private func known(
        _ id: OperationID,
        to device: AuthenticatedDevice
    ) async throws -> MemoRecord? {
        let mailbox = secret.mailbox(of: device.address)
        return try await store.memo(id, of: device.account, or: mailbox)
    }

    private func replay(_ memo: MemoRecord, content: [UInt8]) throws -> Answer {
        guard areEqualInConstantTime(memo.contentCode, content) else { throw Refusal.keyReused }
        return Answer(body: memo.response, isReplay: true, usages: [])
    }

    /// A code that is equal for equal requests. Keyed, because a short memo could be guessed from a
    /// plain hash.
    private func contentCode(of request: MemoRequest) -> [UInt8] {
        let text = Array(request.text.utf8)
        guard let subject = request.subject else { return secret.authenticationCode(.memo, text) }
        return secret.authenticationCode(.memo, text, Array(subject.utf8))
    }

    private func mail(
        for request: MemoRequest,
        id: OperationID,
        device: AuthenticatedDevice,
        date: WallTime
    ) -> QueuedMail {
        let code = secret.authenticationCode(.messageID, device.account.bits.bytes, id.bytes)
        var mail = renderer.render(
            MailRenderer.Content(
                to: device.address,
                replyTo: device.address,
                subject: MailSubject(asked: request.subject, memo: request.text),
                text: request.text,
                token: hexadecimal(code.prefix(20)),
                date: date
            )
        )
        mail.memo = id
        return mail
    }
}
