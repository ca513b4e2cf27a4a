import MemoCore
import MemoSyncCore
import OutboxCore
import SyncCore
import WireCore

/// Answers as the relay sends them.
enum Wire {
    static let node = NodeID(high: 0x0123_4567_89AB_CDEF, low: 0xFEDC_BA98_7654_3210)
    static let nodeDigits = "0123456789abcdeffedcba9876543210"
    static let now = WallTime(millisecondsSinceEpoch: 1_700_000_000_000)
    static let memo = "0192f3c0-1111-7222-8333-444455556666"

    static func answer(
        _ status: Int,
        _ body: String = "",
        type: String = "application/json",
        time: String = "1700000000123",
        version: String = "",
        wait: String = ""
    ) -> RelayAnswer {
        RelayAnswer(
            status: status,
            contentType: Array(type.utf8),
            retryAfter: Array(wait.utf8),
            relayTime: Array(time.utf8),
            relayVersion: Array(version.utf8),
            body: Array(body.utf8)
        )
    }

    static func problem(_ status: Int, _ code: String, wait: String = "") -> RelayAnswer {
        answer(
            status,
            #"{"code":"\#(code)","retryable":false,"status":\#(status)}"#,
            type: "application/problem+json",
            wait: wait
        )
    }

    static func page(_ rows: [String]) -> RelayAnswer {
        answer(
            200,
            #"{"cursor":"c1","device":"d1","more":false,"rows":[\#(rows.joined(separator: ","))]}"#
        )
    }

    static func field(_ value: String, number: Int = 7) -> String {
        #"{"node":"\#(nodeDigits)","number":\#(number),"time":5,"value":"\#(value)"}"#
    }

    /// A change of the settings.
    static func push(
        _ write: Write = .put([SharedSetting.signature.field(Array("Anna".utf8))]),
        number: UInt64 = 3,
        madeOn: UInt64 = 0,
        key: RecordKey = .settings
    ) -> PushRequest {
        PushRequest(
            stamp: Stamp(
                time: WallTime(millisecondsSinceEpoch: 11),
                id: ChangeID(number: number, node: node)
            ),
            attempt: 2,
            key: key,
            madeOn: madeOn,
            write: write,
            settledThrough: 9
        )
    }

    static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}

/// The failure with which a call ends; `nil` if it does not fail.
func failure<Content>(
    of body: () throws(SharingFailure) -> Content
) -> SharingFailure? {
    do {
        _ = try body()
        return nil
    } catch {
        return error
    }
}
