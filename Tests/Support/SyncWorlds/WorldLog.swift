internal import StoreCore
internal import SyncCore

/// The events of a world that is being repeated, line by line.
package final class WorldLog {
    /// The lines.
    package private(set) var lines: [String] = []

    /// An empty log.
    package init() {}

    func note(_ line: String) { lines.append(line) }

    /// Notes what a device does, and what it holds afterwards.
    func note(_ machine: World.Machine, _ device: Int, _ effects: [SyncEffect]) {
        for effect in effects {
            switch effect {
            case .store: break
            case .pull(let request): note("  \(device) pulls, request \(request.number)")
            case .push(let request): note("  \(device) pushes \(Self.text(request))")
            case .ask(let request): note("  \(device) asks for \(Self.text(request.id))")
            case .makeNode: note("  \(device) needs a node")
            case .renamed(let old, let new): note("  \(device) \(old.id) is \(new.id)")
            case .refused(let key, let id): note("  \(device) \(key.id): refused \(Self.text(id))")
            case .overruled(let key, let id, let values):
                note("  \(device) \(key.id): overruled \(Self.text(id)) \(Self.text(values))")
            case .pullStalled: note("  \(device) says that the server is at fault")
            }
        }
        for record in machine.stored.sorted(by: { $0.key < $1.key }) {
            let base = record.base.map { row in
                "\(row.version)\(row.deletion == nil ? "" : " deleted") \(Self.text(row.fields))"
            }
            note(
                "    \(device) \(record.key.kind)\(record.key.id) \(base ?? "-") \(record.movedTo)"
            )
            for change in record.changes {
                note(
                    """
                          \(change.intent) \(Self.text(change.id)).\(change.attempt) on \
                    \(change.madeOn) \(Self.text(change.fields)) \(change.state) \(change.version) \
                    saw \(Self.text(change.before))
                    """
                )
            }
        }
    }

    static func text(_ request: PushRequest) -> String {
        "\(text(request.stamp.id)).\(request.attempt) of \(request.key.id) on \(request.madeOn)"
    }

    static func text(_ id: ChangeID) -> String { "\(id.number)@\(id.node.low)" }

    static func text(_ fields: [Field]) -> String {
        fields.map {
            "\(String(decoding: $0.name, as: UTF8.self))=\($0.value)/\(text($0.stamp.id))"
        }
        .joined(separator: " ")
    }
}
