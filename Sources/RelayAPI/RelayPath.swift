public import MemoCore
public import OutboxCore

extension RelayPath {
    /// The path of one memo.
    public static func memo(_ id: OperationID) -> String {
        "\(memos)/" + String(decoding: id.text, as: UTF8.self)
    }
}

/// The answer to `GET` of ``/MemoCore/RelayPath/reviewOffer``.
public struct ReviewOffer: Codable, Hashable, Sendable {
    /// Whether ``/MemoCore/RelayPath/review`` leads to a page on which people review the app.
    public let page: Bool

    public init(page: Bool) {
        self.page = page
    }
}

extension StringProtocol {
    /// Whether this host of a URL, a name or an address, is this machine itself.
    package var isLoopbackHost: Bool {
        if ["localhost", "::1", "[::1]"].contains(lowercased()) { return true }
        let numbers = split(separator: ".", omittingEmptySubsequences: false)
        return numbers.count == 4 && numbers[0] == "127"
            && numbers.allSatisfy { UInt8($0) != nil && $0.utf8.first != 0x2B }
    }
}
