import Outbox
import OutboxCore
import Testing

@testable import OutboxFiles

@Suite struct FileHeadTests {
    @Test("what a newer build put behind the lane number survives a change")
    func newerFields() throws {
        let newer = Array("from a newer build".utf8)
        var bytes = FileRecord(envelope: [1, 2, 3], record: [4, 5], laneNumber: 7).encoded()
        let headLength: UInt16 = bytes.integer(at: 4)
        let head = 6..<6 + Int(headLength)
        bytes[5] += UInt8(newer.count)
        bytes.insert(contentsOf: newer, at: head.upperBound)
        let end = head.upperBound + newer.count + 3
        var changed = Array(bytes[..<end])
        changed.appendBigEndian(check(of: bytes[..<end]))
        bytes = changed + [4, 5]

        var file = try #require(FileRecord(decoding: bytes))
        #expect(file.laneNumber == 7)
        #expect(file.encoded() == bytes)
        file.state = .parked
        file.quarantineReason = .unknownKey
        let again = try #require(FileRecord(decoding: file.encoded()))
        #expect(again.laneNumber == 7 && again.state == .parked && again.record == [4, 5])
        #expect(file.encoded().firstRange(of: newer) != nil)
    }
}
