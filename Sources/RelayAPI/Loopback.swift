extension StringProtocol {
    /// Whether this host, a name or an address as a URL has it, never leaves this machine.
    package var isLoopbackHost: Bool {
        if ["localhost", "::1", "[::1]"].contains(lowercased()) { return true }
        let numbers = split(separator: ".", omittingEmptySubsequences: false)
        return numbers.count == 4 && numbers[0] == "127"
            && numbers.allSatisfy { UInt8($0) != nil && $0.utf8.first != 0x2B }
    }
}
