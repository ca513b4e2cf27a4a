import WebClient

/// The numbers of the border between module and host, for the build and for Web/README.md.
enum BorderTables {
    /// The number of each name in the host script, as esbuild takes it: `Command.setText=3`.
    static var definitions: [String] {
        Command.allCases.map { "Command.\($0)=\($0.rawValue)" }
            + EventKind.allCases.map { "EventKind.\($0)=\($0.rawValue)" }
            + Step.allCases.map { "Step.\($0)=\($0.rawValue)" }
            + ["Database.version=\(Records.migrations.count)"]
    }

    /// The tables of Web/README.md.
    static var documentation: [String] {
        ["| event | number; bytes |", "|---|---|"]
            + EventKind.allCases.map { "| \($0.rawValue) `\($0)` | \($0.content) |" }
            + ["", "| command | arguments |", "|---|---|"]
            + Command.allCases.map { "| \($0.rawValue) `\($0)` | \($0.content) |" }
            + [
                "", "| step of a transaction | arguments, after the name of the records |",
                "|---|---|",
            ]
            + Step.allCases.map { "| \($0.rawValue) `\($0)` | \($0.content) |" }
    }
}

extension EventKind {
    fileprivate var content: String {
        switch self {
        case .started:
            """
            the host's abilities, as bits, and the bits of `networkChanged`; role, languages, query, fragment, time to text, device, \
            identifier of the page's draft
            """
        case .answered: "request; 0 and the answer, or 1 and the name of an error"
        case .clicked: "row key; list or id, part"
        case .typed, .closed: "name"
        case .chosen: "name; the value of the choice"
        case .pressed: "name; the key, with `Enter` the value of the element"
        case .timerFired: "timer"
        case .networkChanged:
            """
            bit 0: whether there is a connection; bits 7 and 8: its kind, where the browser tells it: \
            1 Wi-Fi, 2 cellular, 3 Ethernet
            """
        case .visibilityChanged: "bit 0: visible, bit 1: has the focus"
        case .rung:
            "the message of another page or worker: 1 work, 2 change, 3 account, 4 restart, 5 shared"
        case .navigated: "fragment"
        case .synced: "request, to be answered by `finish`"
        case .shared: "request, to be answered by `finish`; the shared text"
        case .updateReady, .updated: ""
        case .resendAsked: "request, to be answered by `finish`; the identifier of a memo, as text"
        }
    }
}

extension Command {
    fileprivate var content: String {
        switch self {
        case .beginTransition: "none; the command must come first"
        case .setNames: "the names, separated by spaces"
        case .setText: "element, text"
        case .setWords: "element, attribute or none, number of a text, values"
        case .setValue: "element, text, 1: the caret stays, 2: a text that is being written stays"
        case .setAttribute: "element, attribute, text"
        case .removeAttribute: "element, attribute"
        case .setTime: "element, moment, number of a text or 255"
        case .setClass: "element, class, whether"
        case .setChecked, .setOpen: "element, whether"
        case .addRow: "list, template, key, before which key"
        case .remove, .focus: "element"
        case .readValue: "request, element; answered with the value"
        case .loadWords: "request, language"
        case .navigate: "address, whether it replaces the present one"
        case .openPage: "address"
        case .readDay: "request; answered with year, month, day"
        case .readCharacterEnds: "request, line; answered with offsets"
        case .copy: "request, text"
        case .openDatabase: "name; for each version the stores that it adds"
        case .perform:
            "request, 0 read 1 relaxed 2 strict, steps; answered for each step with a count and records"
        case .performThenTake:
            """
            request, element, text, then as `perform`: the element is emptied if it holds just the text; answered \
            with 1, or with 0 and the element's text
            """
        case .makeKey: "request, name; answered with the names of all keys"
        case .seal:
            "request, records of key, associated data, bytes; answered with nonces and sealed bytes"
        case .open:
            """
            request, records of key, associated data, bytes; answered for each with 1 and the bytes, or 0 for never \
            or 2 for not now, and nothing
            """
        case .persist: "request; answered with whether"
        case .exchange:
            """
            request, method, path, token, body, name and value of a condition or nothing twice, milliseconds, longest \
            answer; answered with status (302 for any redirect), type, `Retry-After`, `RateLimit`, `Date`, \
            `Relay-Time`, `Relay-Version`, body
            """
        case .setTimer: "timer, milliseconds, negative for never"
        case .takeLock: "request, name, whether only if available"
        case .freeLock: "name"
        case .ring: "bytes for the other pages and the worker"
        case .registerSync: "tag"
        case .notify:
            """
            request, language, number of the text, number of the button's text, notifications of identifier and 0 kept \
            1 shown 2 shown with a button: all others are taken back; answered with 0 for no permission, 1 for a \
            permission, 2 for nobody was asked
            """
        case .askToNotify: "request; answered when the person has answered"
        case .registerWorker, .activateUpdate, .reload: ""
        case .finish: "request of an event, whether it is done"
        }
    }
}

extension Step {
    fileprivate var content: String {
        switch self {
        case .put: "key, head, body, name of the key that sealed the body or nothing"
        case .delete: "key"
        case .setHead:
            "key, head, the head that is expected or nothing, a head that stays or nothing"
        case .get: "key; finds a record or none"
        case .find:
            "by head, descending, with bodies, lower bound, upper bound, limit; finds records"
        case .count: "lower bound, upper bound; counts by head"
        case .clear: ""
        case .readKeys: "none; finds the names of all keys, which the host then holds"
        case .require: "key, the head that the record has, or nothing for no record; else all fails"
        }
    }
}
