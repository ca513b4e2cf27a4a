/// A table that every database of the relay has, with the columns that ``StoreCopy`` carries over.
///
/// The names are literals of the code: statements are made of them.
package struct CopiedTable: Sendable {
    /// A column of a table.
    package struct Column: Sendable {
        /// The form of a column's values.
        package enum Form: Sendable { case integer, text, bytes }

        package let name: StaticString
        package let form: Form
        /// Whether the column may be `NULL`.
        package let isOptional: Bool

        static func integer(_ name: StaticString) -> Column {
            Column(name: name, form: .integer, isOptional: false)
        }

        static func text(_ name: StaticString) -> Column {
            Column(name: name, form: .text, isOptional: false)
        }

        static func bytes(_ name: StaticString) -> Column {
            Column(name: name, form: .bytes, isOptional: false)
        }

        static func optional(_ column: Column) -> Column {
            Column(name: column.name, form: column.form, isOptional: true)
        }
    }

    package let name: StaticString
    /// The columns by which rows have an order. They come first in ``columns``.
    package let key: [Column]
    /// All columns.
    package let columns: [Column]
    /// Whether several rows may be equal. In the other tables a key is of one row.
    package let repeats: Bool
    /// The greatest number of different rows that are read or written at once.
    package let rowsAtOnce: Int

    private init(
        _ name: StaticString,
        key: [Column],
        _ others: [Column] = [],
        repeats: Bool = false,
        rowsAtOnce: Int = 500
    ) {
        self.name = name
        self.key = key
        columns = key + others
        self.repeats = repeats
        self.rowsAtOnce = rowsAtOnce
    }

    /// The key of a row.
    package func key(of row: CopiedRow) -> [CopiedValue] { Array(row.values.prefix(key.count)) }

    /// Every table but `relay_secret`, which goes last and by itself. A table comes behind those that it
    /// refers to.
    package static let all = settings + people + mails

    private static let settings = [
        CopiedTable("relay_trial", key: [.integer("id")], [.integer("at")]),
        CopiedTable("relay_movement", key: [.integer("id")], [.integer("at")]),
        CopiedTable("relay_running", key: [.integer("id")], [.integer("milliseconds")]),
        CopiedTable("relay_pace", key: [.text("name")], [.integer("next")]),
        CopiedTable(
            "own_mailbox",
            key: [.bytes("id")],
            [.bytes("address_key"), .bytes("content"), .integer("changed_at")]
        ),
        CopiedTable(
            "invitation",
            key: [.bytes("id")],
            [.bytes("address_key"), .bytes("address"), .integer("invited_at")]
        ),
        CopiedTable(
            "mailed_code",
            key: [.bytes("handle")],
            [
                .bytes("pair"), .bytes("code"), .integer("digits"), .integer("expires_at"),
                .integer("tries"), .integer("sent_at"), .text("language"), .integer("share"),
            ]
        ),
        CopiedTable(
            "long_code",
            key: [.bytes("address"), .bytes("code")],
            [
                .integer("sent_at"), .integer("expires_at"), .integer("share"),
                .text("language"),
            ]
        ),
        CopiedTable(
            "failed_try",
            key: [.integer("share"), .integer("step")],
            [.integer("chance")]
        ),
        CopiedTable("code_request", key: [.bytes("subject"), .integer("at")], repeats: true),
    ]

    private static let people = [
        CopiedTable(
            "account",
            key: [.bytes("id")],
            [
                .bytes("address_key"), .bytes("address"), .integer("created_at"),
                .bytes("mailbox"), .optional(.text("language")),
            ]
        ),
        CopiedTable(
            "device",
            key: [.bytes("id")],
            [
                .bytes("account"), .bytes("token"), .bytes("name"), .integer("created_at"),
                .bytes("pair"), .integer("change"), .optional(.integer("used_at")),
                .optional(.integer("revoked_at")), .optional(.integer("revoked_seen")),
            ]
        ),
        CopiedTable(
            "account_change",
            key: [.bytes("account")],
            [.integer("last"), .integer("forgotten")]
        ),
        CopiedTable(
            "account_settings",
            key: [.bytes("account")],
            [.integer("change"), .integer("changed_at"), .bytes("fields")]
        ),
        CopiedTable(
            "change_ledger",
            key: [.bytes("account"), .bytes("node")],
            [.integer("heard_at"), .bytes("ledger")]
        ),
        CopiedTable("erasure", key: [.bytes("account")], [.integer("erased_at")]),
    ]

    private static let mails = [
        CopiedTable(
            "memo",
            key: [.bytes("account"), .bytes("id")],
            [
                .bytes("device"), .bytes("content"), .text("message_id"), .bytes("operation"),
                .bytes("response"), .text("status"), .optional(.text("reason")),
                .integer("accepted_at"), .integer("changed_at"), .integer("change"),
                .integer("size"), .bytes("mailbox"),
            ]
        ),
        CopiedTable(
            "memo_use",
            key: [.bytes("subject"), .integer("place")],
            [.integer("begins"), .integer("memos")]
        ),
        // A mail may have megabytes.
        CopiedTable(
            "outbox_operation",
            key: [.integer("entry")],
            [
                .bytes("id"), .integer("state"), .integer("due"), .integer("wait"),
                .optional(.text("quarantine")), .bytes("envelope"), .bytes("record"),
            ],
            rowsAtOnce: 32
        ),
        CopiedTable("outbox_use", key: [.integer("used")]),
        CopiedTable(
            "dead_letter",
            key: [.integer("entry")],
            [.optional(.integer("seen")), .optional(.bytes("mailbox")), .integer("bytes")]
        ),
        CopiedTable("held_mail", key: [.integer("entry")], [.integer("held_at")]),
    ]
}
