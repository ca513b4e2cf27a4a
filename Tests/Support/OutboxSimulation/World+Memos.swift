import OutboxCore
import OutboxTesting

/// The memos, their writers and their names.
extension World {
    func wrote(_ memo: WrittenMemo) {
        written.append(memo)
        if memo.isRefusedByRelay { history.count(.memoRefused, "person") }
    }

    func orderingKey(of memo: WrittenMemo) -> OrderingKey? {
        if sabotage == .unsealedText {
            return OrderingKey(bytes: Array(memo.text.utf8.prefix(200)))
        }
        guard sabotage != .noLanes else { return nil }
        return memo.lane.map { OrderingKey(bytes: [UInt8($0)]) }
    }

    func policy(of lane: OrderingKey) -> LanePolicy {
        guard sabotage != .lanesNeverBlock, let number = lane.bytes.first, lane.bytes.count == 1
        else { return .skipAndPark }
        return plan.lanes[Int(number)]
    }

    /// Whether the relay will never take the memo.
    func isHopeless(_ id: OperationID) -> Bool {
        written.contains { $0.id == id && $0.isRefusedByRelay }
    }

    /// Whether the relay refuses a memo that is not empty.
    func isRefusedByRelay(_ text: String) -> Bool {
        written.contains { $0.text == text && $0.isRefusedByRelay && !text.isEmpty }
    }

    func isRefused(_ text: String) -> Bool {
        written.contains { $0.text == text && $0.isRefusedByProvider }
    }

    func name(of id: OperationID) -> String { name { $0.id == id } }

    func name(ofText text: String) -> String {
        name { $0.text == text }
    }

    private func name(where isMeant: (WrittenMemo) -> Bool) -> String {
        written.first(where: isMeant).map { "memo \($0.number)" } ?? "a stranger"
    }

    func newID(at device: any Device) -> OperationID {
        OperationID(time: device.clock.wallTime, random: (random.next(), random.next()))
    }

    func newRelayID() -> OperationID {
        OperationID(time: relay.clock.wallTime, random: (random.next(), random.next()))
    }
}
