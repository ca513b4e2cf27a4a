import MemoCore
import OutboxCore
import Testing

@Suite("The list of devices")
struct ListedDeviceTests {
    private func list(_ body: String, status: Int = 200) -> [ListedDevice]? {
        let type = Array("application/json".utf8)
        return ListedDevice.list(
            in: RelayAnswer(status: status, contentType: type, body: Array(body.utf8))
        )
    }

    @Test("has what the relay tells of each device, in its order")
    func read() throws {
        let first = #"{"id":"a","name":"Phone","createdAt":5,"usedAt":7,"current":true}"#
        let second = #"{"id":"b","name":"Laptop","createdAt":1,"current":false}"#
        let devices = try #require(list(#"{"devices":[\#(first),\#(second)]}"#))
        #expect(devices.map(\.id) == [Array("a".utf8), Array("b".utf8)])
        #expect(devices.map(\.name) == [Array("Phone".utf8), Array("Laptop".utf8)])
        #expect(devices.map(\.isCurrent) == [true, false])
        #expect(devices.map(\.createdAt.millisecondsSinceEpoch) == [5, 1])
        #expect(devices.map(\.usedAt?.millisecondsSinceEpoch) == [7, nil])
    }

    @Test("passes over a device that cannot be named, and is none in another answer")
    func strange() {
        #expect(list(#"{"devices":[{"id":"a"},{"name":"b"},3]}"#) == [])
        #expect(list(#"{"devices":3}"#) == nil)
        #expect(list(#"{"devices":[]}"#, status: 401) == nil)
        #expect(list("<html>") == nil)
    }
}
