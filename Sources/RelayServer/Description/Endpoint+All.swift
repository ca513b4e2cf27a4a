import HTTPTypes
import MemoCore

extension Endpoint {
    /// All endpoints that the relay's port has, besides the web app's files.
    static let all = [
        requestCode, confirmCode, eraseAccount, putMemo, sendMemo, memoStatus, memoChanges, changes,
        settings, changeSettings, settingsAnswer, devices,
        revokeCurrentDevice, revokeDevice, revocationPage, revokeByLink, resendEvent, reviewOffer,
        review, health, readiness, description,
    ]

    static let requestCode = Endpoint(
        method: .post,
        path: "\(RelayPath.verifications)",
        name: "requestCode",
        summary: "Asks for a code by mail. Known and unknown addresses get the same answer.",
        requestBody: "VerificationRequest",
        success: Success(status: .accepted, schema: "VerificationAcceptance"),
        ownProblems: [.invalidAddress, .tooManyRequests]
    )

    static let confirmCode = Endpoint(
        method: .post,
        path: "\(RelayPath.confirmations)",
        name: "confirmCode",
        summary: "Trades a code for a token.",
        requestBody: "ConfirmationRequest",
        success: Success(status: .ok, schema: "TokenGrant"),
        ownProblems: [.invalidAddress, .handleMissing, .codeRejected]
    )

    static let eraseAccount = Endpoint(
        method: .delete,
        path: "\(RelayPath.account)",
        name: "eraseAccount",
        summary: "Erases the token's account, with a code that was mailed to its address.",
        needsToken: true,
        requestBody: "ErasureRequest",
        success: Success(status: .noContent),
        ownProblems: [.handleMissing, .codeRejected]
    )

    static let putMemo = Endpoint(
        method: .put,
        path: "\(RelayPath.memos)/{id}",
        name: "putMemo",
        summary: "Sends a memo to the token's owner. A repetition gets the first answer again.",
        needsToken: true,
        parameters: ["MemoID"],
        requestBody: "MemoRequest",
        success: accepted,
        ownProblems: [
            .idempotencyKeyMalformed, .emptyMemo, .inProgress, .idempotencyKeyReused,
            .quotaExceeded,
        ]
    )

    static let sendMemo = Endpoint(
        method: .post,
        path: "\(RelayPath.send)",
        name: "sendMemo",
        summary: "Sends a memo whose identifier is the Idempotency-Key.",
        needsToken: true,
        parameters: ["IdempotencyKey"],
        requestBody: "MemoRequest",
        success: accepted,
        ownProblems: putMemo.ownProblems.union([.idempotencyKeyMissing])
    )

    private static let accepted = Success(
        status: .accepted,
        schema: "MemoAcceptance",
        headers: ["\(RelayHeader.idempotentReplayed)"]
    )

    static let memoStatus = Endpoint(
        method: .get,
        path: putMemo.path,
        name: "memoStatus",
        summary: "The status of one memo of the token's owner.",
        needsToken: true,
        parameters: ["MemoID"],
        success: Success(status: .ok, schema: "MemoStatus"),
        ownProblems: [.idempotencyKeyMalformed, .notFound]
    )

    static let memoChanges = Endpoint(
        method: .get,
        path: "\(RelayPath.memoChanges)",
        name: "memoChanges",
        summary: "The changes of the owner's memos alone. For clients that know no other.",
        needsToken: true,
        parameters: ["After"],
        success: Success(status: .ok, schema: "MemoChanges")
    )

    static let changes = Endpoint(
        method: .get,
        path: "\(RelayPath.changes)",
        name: "changes",
        summary: "The changes of the owner's memos, devices and settings after a cursor.",
        needsToken: true,
        parameters: ["After"],
        success: Success(status: .ok, schema: "AccountChanges"),
        ownProblems: [.cursorForgotten]
    )

    static let settings = Endpoint(
        method: .get,
        path: "\(RelayPath.settings)",
        name: "settings",
        summary: "The settings that all of the owner's devices share.",
        needsToken: true,
        success: Success(status: .ok, schema: "SharedSettings", headers: ["ETag"]),
        ownProblems: [.notFound]
    )

    static let changeSettings = Endpoint(
        method: .put,
        path: settings.path,
        name: "changeSettings",
        summary: "Writes settings, if they have the version that the change was made on.",
        needsToken: true,
        parameters: ["IfMatch", "IfNoneMatch"],
        requestBody: "SettingsRequest",
        success: Success(status: .ok, schema: "SettingsAnswer", headers: ["ETag"]),
        ownProblems: [.preconditionRequired, .tooManyRequests],
        otherStatuses: [
            (.conflict, "The number belongs to another change. The device takes a new node."),
            (.preconditionFailed, "The settings are others: they come with the answer."),
            (.unprocessableContent, "This content is never taken."),
        ]
    )

    static let settingsAnswer = Endpoint(
        method: .post,
        path: "\(RelayPath.settingsAnswer)",
        name: "settingsAnswer",
        summary: "The answer to an earlier change of the settings, which was lost.",
        needsToken: true,
        requestBody: "ChangeIdentity",
        success: Success(status: .ok, schema: "SettingsAnswer"),
        ownProblems: [.notFound]
    )

    static let devices = Endpoint(
        method: .get,
        path: "\(RelayPath.devices)",
        name: "devices",
        summary: "The owner's devices that are signed in, the newest first.",
        needsToken: true,
        success: Success(status: .ok, schema: "DeviceList")
    )

    static let revokeCurrentDevice = Endpoint(
        method: .delete,
        path: "\(RelayPath.currentDevice)",
        name: "revokeCurrentDevice",
        summary: "Revokes the request's token.",
        needsToken: true,
        success: revoked
    )

    static let revokeDevice = Endpoint(
        method: .delete,
        path: "\(RelayPath.devices)/{id}",
        name: "revokeDevice",
        summary: "Revokes the token of one of the owner's devices, however often.",
        needsToken: true,
        parameters: ["DeviceID"],
        success: revoked,
        ownProblems: [.notFound]
    )

    private static let revoked = Success(
        status: .noContent,
        headers: ["\(RelayHeader.relayVersion)"]
    )

    static let revocationPage = Endpoint(
        method: .get,
        path: "\(RelayPath.revocation)/{link}",
        name: "revocationPage",
        summary: "Asks a person with the link of a mail whether to sign its device out.",
        parameters: ["Link"],
        success: page,
        otherStatuses: [noRight]
    )

    static let revokeByLink = Endpoint(
        method: .post,
        path: revocationPage.path,
        name: "revokeByLink",
        summary: "Signs the link's device out.",
        parameters: ["Link"],
        success: page,
        ownProblems: [.unavailable],
        otherStatuses: [noRight]
    )

    static let resendEvent = Endpoint(
        method: .post,
        path: ResendEvent.path,
        name: "resendEvent",
        summary: "Tells that a mail has bounced. For the mail provider Resend, where it is set up.",
        parameters: ["EventID", "EventTime", "EventSignature"],
        requestBody: "ResendEvent",
        success: Success(status: .noContent),
        ownProblems: [.notFound]
    )

    private static let page = Success(
        status: .ok,
        schema: "Page",
        mediaType: "text/html; charset=utf-8"
    )

    private static let noRight = (
        HTTPResponse.Status.gone, "The link is none of this relay's, or has expired."
    )

    static let reviewOffer = Endpoint(
        method: .get,
        path: "\(RelayPath.reviewOffer)",
        name: "reviewOffer",
        summary: "Whether there is a page on which people review the app.",
        success: Success(status: .ok, schema: "ReviewOffer")
    )

    static let review = Endpoint(
        method: .get,
        path: "\(RelayPath.review)",
        name: "review",
        summary: "Sends a browser to the page on which people review the app, else to the app.",
        success: Success(status: .seeOther, headers: ["Location"])
    )

    static let health = Endpoint(
        method: .get,
        path: "\(RelayPath.health)",
        name: "health",
        summary: "Whether the relay serves.",
        success: Success(status: .ok, schema: "Health", mediaType: "text/plain; charset=utf-8")
    )

    static let readiness = Endpoint(
        method: .get,
        path: "\(RelayPath.readiness)",
        name: "readiness",
        summary: "Whether the relay can accept memos and hand them on.",
        success: Success(status: .ok, schema: "Readiness"),
        otherStatuses: [(.serviceUnavailable, "Not ready.")]
    )

    static let description = Endpoint(
        method: .get,
        path: "\(RelayPath.description)",
        name: "description",
        summary: "This document.",
        success: Success(status: .ok, schema: "Document")
    )
}
