import MemoCore
import RelayAPI
import RelayRules

/// The components of the OpenAPI document: bodies, parameters and header fields.
enum OpenAPISchemas {
    static let schemas: DocumentNode = [
        "VerificationRequest": object(
            ["address"],
            [
                "address": address, "language": optional(["examples": ["pt-BR"]]),
                "takesCode": optional(
                    ["description": "The client takes a code in the answer, in place of a mail."],
                    type: "boolean"
                ),
            ]
        ),
        "VerificationAcceptance": object(
            ["digits", "handle"],
            [
                "digits": [
                    "type": "integer",
                    "minimum": .number(RelayLimits.codeLength),
                    "maximum": .number(RelayLimits.longestCode),
                ],
                "handle": ["type": "string", "minLength": 1],
                "code": [
                    "type": "string",
                    "minLength": 1,
                    "description": """
                    A proxy vouches for the address: nothing was mailed, and this code signs in.
                    """,
                ],
                "longCode": [
                    "const": true,
                    "description": """
                    No digits were mailed for this request: the long code of the latest mail \
                    in the inbox signs in.
                    """,
                ],
            ]
        ),
        "ConfirmationRequest": object(
            ["address", "code", "device", "handle"],
            [
                "address": address,
                "code": [
                    "type": "string",
                    "description": """
                    The digits of the request's own mail; or the long code of any mail of the \
                    last 24 hours, which works once, in any case, with or without hyphens.
                    """,
                ],
                "device": ["type": "string"],
                "handle": ["type": "string"],
            ]
        ),
        "ErasureRequest": object(
            ["code", "handle"],
            ["code": ["type": "string"], "handle": ["type": "string"]]
        ),
        "TokenGrant": object(
            ["token"],
            [
                "token": [
                    "type": "string",
                    "minLength": 1,
                    "maxLength": .number(RelayLimits.tokenLength),
                ]
            ]
        ),
        "ResendEvent": object(
            ["type"],
            ["type": ["type": "string"], "data": ["type": "object"]]
        ),
        "MemoRequest": object(
            ["text"],
            [
                "text": [
                    "type": "string",
                    "minLength": 1,
                    "maxLength": .number(MemoRule.longest),
                    "description": .text("At most \(MemoRule.longest) bytes of UTF-8."),
                ],
                "subject": optional([
                    "maxLength": .number(RelayLimits.subjectLength),
                    "description": .text("At most \(RelayLimits.subjectLength) bytes of UTF-8."),
                ]),
            ]
        ),
        "MemoAcceptance": object(
            ["id", "status"],
            ["id": identifier, "status": ["const": .text(StatusName.accepted)]]
        ),
        "MemoStatus": object(
            ["id", "status"],
            [
                "id": identifier,
                "status": [
                    "type": "string",
                    "examples": .list(statuses.map { DocumentNode.text($0) }),
                    "description": "Later relays may have more.",
                ],
                "reason": ["type": "string", "examples": ["smtp.550"]],
            ]
        ),
        "MemoChanges": object(
            ["changes", "cursor", "more", "restarted"],
            [
                "changes": [
                    "type": "array",
                    "maxItems": .number(RelayLimits.changesPage),
                    "items": .reference("schemas/MemoStatus"),
                ],
                "cursor": [
                    "type": "string",
                    "minLength": 1,
                    "maxLength": .number(RelayLimits.cursorLength),
                ],
                "more": boolean,
                "restarted": boolean,
            ]
        ),
        "DeviceList": object(
            ["devices"],
            [
                "devices": [
                    "type": "array",
                    "maxItems": .number(VerificationRules().devices),
                    "items": .reference("schemas/Device"),
                ]
            ]
        ),
        "Device": object(
            ["id", "name", "createdAt", "current"],
            [
                "id": identifier,
                "name": ["type": "string", "maxLength": .number(RelayLimits.deviceNameLength)],
                "createdAt": [
                    "type": "integer",
                    "format": "int64",
                    "description": "Milliseconds since 1970-01-01T00:00:00Z.",
                ],
                "usedAt": [
                    "type": "integer",
                    "format": "int64",
                    "description": "The last use, to the hour. As createdAt.",
                ],
                "current": boolean,
            ]
        ),
        "AccountChanges": object(
            ["rows", "cursor", "more", "device"],
            [
                "rows": [
                    "type": "array",
                    "maxItems": .number(RelayLimits.changesPage),
                    "items": .reference("schemas/ChangedRow"),
                ],
                "cursor": [
                    "type": "string",
                    "minLength": 1,
                    "maxLength": .number(RelayLimits.cursorLength),
                ],
                "more": boolean,
                "device": identifier,
            ]
        ),
        "ChangedRow": object(
            ["kind", "version"],
            [
                "kind": [
                    "type": "string",
                    "examples": ["memo", "device", "settings"],
                    "description": "Later relays may have more.",
                ],
                "version": number(from: 1),
                "id": identifier,
                "status": ["type": "string"],
                "reason": ["type": "string"],
                "device": identifier,
                "acceptedAt": ["type": "integer", "format": "int64"],
                "name": ["type": "string", "maxLength": .number(RelayLimits.deviceNameLength)],
                "createdAt": ["type": "integer", "format": "int64"],
                "revokedAt": ["type": "integer", "format": "int64"],
                "fields": sharedFields,
            ]
        ),
        "SharedSettings": sharedSettings,
        "SettingsRequest": object(
            ["change", "fields", "settledThrough", "time"],
            [
                "change": .reference("schemas/ChangeIdentity"),
                "fields": [
                    "type": "object",
                    "propertyNames": ["pattern": .text(settingName)],
                    "additionalProperties": ["type": "string"],
                    "maxProperties": .number(RelayLimits.settings),
                    "description": .text(
                        "All settings together have at most \(RelayLimits.settingsLength) bytes."
                    ),
                ],
                "settledThrough": number(from: 0),
                "time": [
                    "type": "integer", "format": "int64",
                    "minimum": .number(-greatestNumber), "maximum": .number(greatestNumber),
                    "description":
                        "By the device's clock. Milliseconds since 1970-01-01T00:00:00Z.",
                ],
            ]
        ),
        "ChangeIdentity": object(
            ["attempt", "digest", "node", "number"],
            [
                "attempt": [
                    "type": "integer", "format": "int64", "minimum": 0,
                    "maximum": .number(Int(UInt32.max)),
                ],
                "digest": ["type": "string", "pattern": "^[0-9a-f]{16}$"],
                "node": ["type": "string", "pattern": "^[0-9a-f]{32}$"],
                "number": number(from: 1),
            ]
        ),
        "SettingsAnswer": object(
            ["answer"],
            [
                "answer": [
                    "type": "string",
                    "enum": .list(SettingsAnswer.Kind.allCases.map { .text($0.rawValue) }),
                ],
                "version": number(from: 1),
                "time": ["type": "integer", "format": "int64"],
                "reason": ["type": "string", "examples": ["too-long"]],
                "settings": .reference("schemas/SharedSettings"),
            ]
        ),
        "ReviewOffer": object(["page"], ["page": boolean]),
        "Health": ["type": "string", "const": "ok\n"],
        "Readiness": object(
            ["checks", "ready", "waits"],
            [
                "checks": object(
                    ["database", "disk", "key", "queue"],
                    ["database": check, "disk": check, "key": check, "queue": check]
                ),
                "ready": boolean,
                "waits": ["type": "array", "items": ["type": "string"]],
            ]
        ),
        "Page": ["type": "string", "minLength": 1],
        "Document": ["type": "object", "required": ["openapi", "info", "paths"]],
        "Problem": object(
            ["type", "title", "detail", "status", "code", "retryable"],
            [
                "type": ["type": "string", "format": "uri"],
                "title": ["type": "string", "minLength": 1],
                "detail": ["type": "string", "minLength": 1],
                "status": ["type": "integer"],
                "code": ["type": "string"],
                "retryable": boolean,
                "violated-policies": [
                    "type": "array", "minItems": 1, "items": ["type": "string"],
                ],
            ]
        ),
    ]

    static let parameters: DocumentNode = [
        "MemoID": [
            "name": "id", "in": "path", "required": true, "schema": identifier,
        ],
        "DeviceID": [
            "name": "id", "in": "path", "required": true, "schema": identifier,
        ],
        "Link": [
            "name": "link", "in": "path", "required": true, "schema": ["type": "string"],
            "description": "The end of the link in the mail about a new device.",
        ],
        "IfMatch": [
            "name": "If-Match", "in": "header", "required": false,
            "description": "The version that the change was made on.",
            "schema": ["type": "string", "examples": ["\"17\""]],
        ],
        "IfNoneMatch": [
            "name": "If-None-Match", "in": "header", "required": false,
            "description": "In place of If-Match, for the first settings.",
            "schema": ["type": "string", "const": "*"],
        ],
        "IdempotencyKey": [
            "name": .text(RelayHeader.idempotencyKey), "in": "header", "required": true,
            "description": """
            A UUID, bare or quoted, of this one memo. A repetition with the same body gets the \
            first answer again; another body gets 422. The relay forgets no memo, so the key \
            never expires.
            """,
            "schema": [
                "type": "string",
                "pattern": .text(#"^(\#(uuid)|"\#(uuid)")$"#),
            ],
        ],
        "EventID": eventField(ResendSignature.idField),
        "EventTime": eventField(ResendSignature.timestampField),
        "EventSignature": eventField(ResendSignature.signatureField),
        "After": [
            "name": .text(cursorName), "in": "query", "required": false,
            "schema": ["type": "string"],
        ],
    ]

    static let headers: DocumentNode = .object([
        ("\(RelayHeader.rateLimitPolicy)", header("The caller's limits.", required: true)),
        (
            "\(RelayHeader.relayTime)",
            header(
                "The relay's clock. Milliseconds since 1970-01-01T00:00:00Z.",
                ["type": "integer"],
                required: true
            )
        ),
        (
            "\(RelayHeader.relayVersion)",
            header("The number of the change.", ["type": "integer", "minimum": 1], required: true)
        ),
        ("\(RelayHeader.rateLimit)", header("What is left of them, for a valid token.")),
        (
            "\(RelayHeader.idempotentReplayed)",
            header("On the answer to a repetition.", ["const": "true"])
        ),
        (
            "\(RelayHeader.retryAfter)",
            header(
                "Seconds to wait.",
                ["type": "integer", "minimum": 1],
                required: true
            )
        ),
        (
            "WWW-Authenticate",
            header(
                "The scheme of the token.",
                ["const": .text(RelayHeader.bearer)],
                required: true
            )
        ),
        (
            "ETag",
            header("The version.", ["type": "string", "minLength": 3], required: true)
        ),
        ("Location", header("Where to go.", ["type": "string"], required: true)),
    ])

    /// The name of the query's parameter, of which ``RelayPath/cursorQuery`` is the beginning.
    private static var cursorName: String {
        String("\(RelayPath.cursorQuery)".dropFirst().dropLast())
    }

    private static func eventField(_ name: String) -> DocumentNode {
        [
            "name": .text(name), "in": "header", "required": true, "schema": ["type": "string"],
            "description": "https://docs.svix.com/receiving/verifying-payloads/how-manual",
        ]
    }

    private static let statuses = [
        StatusName.accepted, StatusName.delivered, StatusName.bounced, StatusName.expired,
        StatusName.refused,
    ]

    private static let uuid = "[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
    private static let identifier: DocumentNode = ["type": "string", "format": "uuid"]
    private static let greatestNumber = Int(ChangeName.greatestNumber)
    private static let settingName = "^[0-9A-Za-z-]{1,\(RelayLimits.settingNameLength)}$"
    private static let sharedFields: DocumentNode = [
        "type": "object",
        "additionalProperties": object(
            ["node", "number", "time", "value"],
            [
                "node": ["type": "string", "pattern": "^[0-9a-f]{32}$"],
                "number": number(from: 1),
                "time": ["type": "integer", "format": "int64"],
                "value": ["type": "string"],
            ]
        ),
    ]
    private static let sharedSettings = object(
        ["fields", "version"],
        [
            "fields": sharedFields,
            "version": number(from: 1),
        ]
    )

    private static func number(from least: Int) -> DocumentNode {
        [
            "type": "integer", "format": "int64", "minimum": .number(least),
            "maximum": .number(greatestNumber),
        ]
    }

    private static let boolean: DocumentNode = ["type": "boolean"]
    private static let check: DocumentNode = [
        "type": "string", "examples": [.text(ReadinessReport.fine)],
    ]

    /// The addresses that ``MailAddress`` takes.
    private static var address: DocumentNode {
        let atom = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+"
        let label = "[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
        return [
            "type": "string",
            "maxLength": .number(RelayLimits.addressLength),
            "pattern": .text(#"^(?=[^@]{1,64}@)\#(atom)(\.\#(atom))*@\#(label)(\.\#(label))*$"#),
            "examples": ["somebody@example.org"],
        ]
    }

    private static func object(_ required: [String], _ members: DocumentNode) -> DocumentNode {
        [
            "type": "object",
            "required": .list(required.map { DocumentNode.text($0) }),
            "properties": members,
        ]
    }

    /// A value that may also be absent or null.
    private static func optional(
        _ rules: KeyValuePairs<String, DocumentNode>,
        type: DocumentNode = "string"
    ) -> DocumentNode {
        .object([("type", [type, "null"])] + rules.map { ($0.key, $0.value) })
    }

    private static func header(
        _ description: String,
        _ schema: DocumentNode = ["type": "string", "minLength": 1],
        required: Bool = false
    ) -> DocumentNode {
        [
            "description": .text(description), "required": .init(booleanLiteral: required),
            "schema": schema,
        ]
    }
}
