package import OfflineFirstTesting
internal import OutboxCore
package import StoreCore
package import SyncCore

/// Devices whose every message a test moves by hand, with the same server and checkers as the worlds.
package struct Lab {
    /// The world.
    package private(set) var world: World

    /// A laboratory of some devices, which have pulled nothing.
    package init(devices: Int = 1, bug: PlantedBug? = nil, underWay: Int = 4) {
        world = World(devices: devices, bug: bug, underWay: underWay)
    }

    /// The broken promises.
    package var violations: [Violation] { world.violations }

    /// The server.
    package var server: ReferenceServer {
        get { world.server }
        set { world.server = newValue }
    }

    /// The machine of a device.
    package func machine(_ device: Int = 0) -> SyncMachine<WorldRules, NoIndexes<ShownRecord>> {
        world.devices[device].machine
    }

    // MARK: Persons

    /// A person creates a record, under a temporary identifier that no other record has.
    package mutating func create(
        _ fields: [String: [UInt8]],
        kind: UInt8 = 0,
        on device: Int = 0
    ) -> RecordKey {
        let key = RecordKey(kind: [kind], id: world.newTemporary())
        world.edit(device, key, .create, Self.values(fields))
        return key
    }

    /// A person changes fields.
    package mutating func update(_ key: RecordKey, _ fields: [String: [UInt8]], on device: Int = 0)
    {
        world.edit(device, key, .update, Self.values(fields))
    }

    /// A person deletes a record.
    package mutating func delete(_ key: RecordKey, on device: Int = 0) {
        world.edit(device, key, .delete, [])
    }

    /// A person brings a record back, or makes one under a name that all devices know.
    package mutating func put(_ key: RecordKey, _ fields: [String: [UInt8]], on device: Int = 0) {
        world.edit(device, key, .put, Self.values(fields))
    }

    /// The answer of a person to an entry.
    package enum Choice: Sendable {
        /// Push it as it is.
        case tryAgain
        /// Push it with another value.
        case edit
        /// Give it up.
        case discard
    }

    /// A person chooses on the first entry of a device.
    package mutating func choose(_ choice: Choice, on device: Int = 0) {
        guard let entry = machine(device).entries.first else { return }
        switch choice {
        case .tryAgain: world.choose(device, entry, .tryAgain)
        case .edit: world.choose(device, entry, .edit)
        case .discard: world.choose(device, entry, .discard)
        }
    }

    private static func values(_ fields: [String: [UInt8]]) -> [Field] {
        fields.map { Field(name: Array($0.key.utf8), value: $0.value) }
    }

    // MARK: Devices and network

    /// Tells an event.
    package mutating func tell(_ event: SyncEvent, on device: Int = 0) { world.tell(device, event) }

    /// Sets a device's wall clock.
    package mutating func setClock(on device: Int = 0, to milliseconds: Int64) {
        world.devices[device].wall = WallTime(millisecondsSinceEpoch: milliseconds)
    }

    /// Ends the process of a device and begins it anew.
    package mutating func restart(on device: Int = 0) { world.restart(device) }

    /// Makes the new node that a device waits for.
    package mutating func makeNode(on device: Int = 0) { world.makeNode(device) }

    /// The shell of a device gives up all its requests of a sort; the messages stay under way.
    package mutating func giveUp(_ sort: Message, on device: Int = 0) {
        for body in world.devices[device].awaited where Self.sort(body) == sort {
            world.giveUp(device, body)
        }
    }

    /// A sort of message.
    package enum Message: Sendable {
        /// A request for rows.
        case pull
        /// A change.
        case push
        /// A question for an answer.
        case ask
        /// The answer to a pull.
        case pulled
        /// The answer to a push.
        case answered
        /// The answer to a question.
        case asked
    }

    private static func sort(_ body: World.Body) -> Message {
        switch body {
        case .pull: .pull
        case .push: .push
        case .ask: .ask
        case .pulled: .pulled
        case .answered: .answered
        case .asked: .asked
        }
    }

    /// The messages under way of a sort, to or from a device.
    package func messages(_ sort: Message, on device: Int = 0) -> Int {
        world.wires.count { $0.device == device && Self.sort($0.body) == sort }
    }

    /// Delivers the first message of a sort.
    ///
    /// - Returns: Whether there was one.
    @discardableResult
    package mutating func deliver(
        _ sort: Message,
        isRepeated: Bool = false,
        on device: Int = 0
    ) -> Bool {
        let position = world.wires.firstIndex {
            $0.device == device && Self.sort($0.body) == sort
        }
        guard let position else { return false }
        world.deliver(position, isRepeated: isRepeated)
        return true
    }

    /// Loses the first message of a sort.
    package mutating func lose(_ sort: Message, on device: Int = 0) {
        let position = world.wires.firstIndex {
            $0.device == device && Self.sort($0.body) == sort
        }
        if let position { world.wires.remove(at: position) }
    }

    /// Wakes a device and lets everything of it arrive; other devices' messages stay under way.
    package mutating func sync(on device: Int = 0) {
        world.tell(device, .woken)
        while true {
            if world.devices[device].isNodeWanted {
                world.makeNode(device)
            } else if let position = world.wires.firstIndex(where: { $0.device == device }) {
                world.deliver(position)
            } else {
                return
            }
        }
    }

    /// Lets everything that is under way arrive.
    package mutating func settle() { world.settleNetwork() }

    /// Lets faults end, and looks whether everything comes to rest.
    package mutating func heal() { world.heal() }

    // MARK: Looking

    /// The value that a device shows in a field; `nil` if it shows none.
    package func value(_ key: RecordKey, _ field: String, on device: Int = 0) -> [UInt8]? {
        let machine = machine(device)
        return machine.shown[EntityID(machine.name(key))]?.fields[Array(field.utf8)]?.value
    }

    /// The word on a record; `nil` if the device shows none.
    package func word(_ key: RecordKey, on device: Int = 0) -> RecordWord? {
        let machine = machine(device)
        return machine.shown[EntityID(machine.name(key))]?.word
    }
}

// Backups and clones.
extension Lab {
    /// The stored state of a device.
    package struct Backup {
        let content: World.Backup
        /// The node of the device.
        package let node: NodeID
    }

    /// A copy of what a device has stored.
    package func copy(of device: Int = 0) -> Backup {
        Backup(
            content: world.backup(of: device),
            node: world.devices[device].machine.meta.clock.node
        )
    }

    /// Puts a backup in the place of what a device has stored, and begins its process anew.
    package mutating func restore(_ backup: Backup, on device: Int = 0) {
        world.restore(backup.content, on: device)
    }

    /// Makes another device of what a device has stored.
    ///
    /// - Returns: The number of the new device.
    package mutating func clone(_ device: Int) -> Int {
        world.clone(device)
        return world.devices.count - 1
    }
}
