import OutboxCore

/// The name of an entry's file.
enum FileName: Hashable, Sendable {
    /// The operation's identifier in its canonical, lower-case text form.
    case operation(OperationID)
    /// A name that this library never gives; whatever the file holds, it is kept and listed.
    case foreign([UInt8])

    init(_ name: [UInt8]) {
        if let id = OperationID(text: name), id.text == name {
            self = .operation(id)
        } else {
            self = .foreign(name)
        }
    }

    /// The name as text; `nil` when the name is not text, so that the file cannot be opened.
    var text: String? {
        switch self {
        case .operation(let id): id.description
        case .foreign(let name): String(validating: name, as: UTF8.self)
        }
    }

    var operationID: OperationID? {
        switch self {
        case .operation(let id): id
        case .foreign: nil
        }
    }
}
