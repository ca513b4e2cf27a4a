public import MemoCore
public import OutboxCore
public import SyncCore
import WireCore

extension RelayRequest {
    /// Sends a change: of the settings, or the revocation of a device.
    ///
    /// - Returns: `nil` for a change that the relay takes from no device: of a memo, of a kind that this
    ///   build does not know, or with a number or a value that cannot be sent. Its device is told that it is
    ///   refused, ``/SyncCore/RefusalReason/notForDevices``.
    /// - Complexity: O(bytes of the change).
    public static func push(_ request: PushRequest, token: [UInt8]) -> RelayRequest? {
        switch request.key.kind {
        case SharedKind.settings: changeSettings(request, token)
        case SharedKind.device:
            request.write == .delete && SharedDevice.isName(request.key.id)
                ? revoke(request.key.id, token: token) : nil
        default: nil
        }
    }

    /// Asks for the answer to an earlier change of the settings. The relay has never heard of the
    /// revocation of a device by its identity, and revoking again is harmless.
    public static func ask(_ question: AskRequest, token: [UInt8]) -> RelayRequest {
        RelayRequest(
            method: "POST",
            path: RelayPath.settingsAnswer.bytes,
            token: token,
            body: question.identity.encoded()
        )
    }

    private static func changeSettings(
        _ request: PushRequest,
        _ token: [UInt8]
    ) -> RelayRequest? {
        let isWritten =
            switch request.write {
            case .update, .put: true
            case .create, .delete: false
            }
        let time = request.stamp.time.millisecondsSinceEpoch
        guard isWritten, request.key == .settings,
            SharedRules().isValid(request.write.fields, in: request.key.kind),
            Int64(clamping: request.stamp.id.number).changeNumber != nil,
            -RelayLimits.greatestNumber...RelayLimits.greatestNumber ~= time
        else { return nil }
        var fields: [(name: [UInt8], value: JSON)] = []
        for field in request.write.fields { fields.append((field.name, .string(field.value))) }
        let settled = min(request.settledThrough, request.stamp.id.number - 1)
        return RelayRequest(
            method: "PUT",
            path: RelayPath.settings.bytes,
            token: token,
            body: JSON.object([
                ("change", request.question.identity), ("fields", .object(fields)),
                ("settledThrough", .number(Int64(clamping: settled))), ("time", .number(time)),
            ]).encoded(),
            precondition: request.madeOn == 0 ? .absent : .version(request.madeOn)
        )
    }
}

extension AskRequest {
    /// The identity of the change, as the relay reads it.
    fileprivate var identity: JSON {
        .object([
            ("attempt", .number(Int64(attempt))), ("digest", .string(hexadecimal(digest))),
            ("node", .string(id.node.hexadecimalDigits)),
            ("number", .number(Int64(clamping: id.number))),
        ])
    }
}

extension RefusalReason {
    /// No device can change this record, or not so.
    public static var notForDevices: RefusalReason { "sync.not-for-devices" }
    /// The relay says that it cannot read the change, and never will.
    public static var unreadable: RefusalReason { "relay.malformed" }
}

extension RelayAnswer {
    /// The answer to ``/MemoCore/RelayRequest/push(_:token:)``.
    ///
    /// Only the status 200 with the relay's own words, or 204 with the number of a revocation, confirms a
    /// change.
    ///
    /// - Parameters:
    ///   - request: The change that was sent.
    ///   - now: The wall clock, for a wait until a date.
    /// - Throws: ``SharingFailure``.
    public func pushed(
        _ request: PushRequest,
        now: WallTime
    ) throws(SharingFailure) -> Told<PushAnswer> {
        let answer =
            request.key.kind == SharedKind.device
            ? revoked(request) : try settingsAnswer(request.stamp.id)
        if let answer, let relayTime { return Told(answer, relayTime) }
        switch problem?.code {
        case .malformedBody?, .tooLarge?, .preconditionRequired?:
            guard let relayTime else { throw .notOurAnswer }
            return Told(.refused(.unreadable, nil), relayTime)
        default: throw SharingFailure(self, now: now)
        }
    }

    /// The answer to ``/MemoCore/RelayRequest/ask(_:token:)``; `nil` if the relay has never heard of this
    /// change.
    ///
    /// - Parameters:
    ///   - question: The question that was sent.
    ///   - now: The wall clock, for a wait until a date.
    /// - Throws: ``SharingFailure``.
    public func asked(
        _ question: AskRequest,
        now: WallTime
    ) throws(SharingFailure) -> Told<PushAnswer?> {
        if problem?.code == .notFound, let relayTime { return Told(nil, relayTime) }
        guard let answer = try settingsAnswer(question.id, isAsked: true), let relayTime else {
            throw SharingFailure(self, now: now)
        }
        return Told(answer, relayTime)
    }

    /// - Returns: `nil` for an answer that does not tell what became of the revocation.
    private func revoked(_ request: PushRequest) -> PushAnswer? {
        if status == 204, let relayVersion {
            return .accepted(id: request.key.id, version: relayVersion, stamp: request.stamp)
        }
        // The relay knows no such device any more: there is nothing to revoke.
        return problem?.code == .notFound ? .conflict(nil, stamp: request.stamp) : nil
    }

    /// - Parameters:
    ///   - id: The change.
    ///   - isAsked: Whether the answer is a repetition, whose status is 200 whatever it says.
    /// - Returns: `nil` for an answer that says nothing about the settings.
    /// - Throws: ``SharingFailure/notOurAnswer`` for one that does, and cannot be read.
    private func settingsAnswer(
        _ id: ChangeID,
        isAsked: Bool = false
    ) throws(SharingFailure) -> PushAnswer? {
        guard let json = members, let kind = json[string: "answer"] else { return nil }
        let stamp = json[number: "time"].map {
            Stamp(time: WallTime(millisecondsSinceEpoch: $0), id: id)
        }
        func isStatus(_ pushed: Int) -> Bool { status == (isAsked ? 200 : pushed) }
        switch kind {
        case "accepted" where isStatus(200):
            guard let version = json[number: "version"]?.changeNumber, let stamp else { break }
            return .accepted(id: RecordKey.settings.id, version: version, stamp: stamp)
        case "conflict" where isStatus(412):
            guard let stamp else { break }
            return .conflict(try SettingsRow.row(in: json), stamp: stamp)
        case "refused" where isStatus(422):
            guard let reason = json[string: "reason"], 1...64 ~= reason.count else { break }
            return .refused(RefusalReason(code: reason), try SettingsRow.row(in: json))
        case "new-node" where isStatus(409): return .newNode
        default: break
        }
        throw .notOurAnswer
    }
}
