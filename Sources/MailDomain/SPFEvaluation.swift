/// The result of SPF for an address
/// ([RFC 7208, section 2.6](https://www.rfc-editor.org/rfc/rfc7208#section-2.6)).
enum SPFResult: Hashable {
    case pass
    case fail
    case softFail
    case neutral
    case none
    case temporaryError(DNSFailure)
    case permanentError(SPFError)
}

/// The reason of a `permerror`, or of a result that is not known here.
enum SPFError: Hashable {
    case mistake(SPFMistake, of: String)
    /// A domain has several records.
    case several(of: String)
    /// More mechanisms ask DNS than receivers follow.
    case tooManyLookUps
    /// More of these questions have no answer than receivers take.
    case tooManyVoidLookUps
    /// A domain has more mail exchangers than receivers look at.
    case tooManyExchangers(of: String)
    /// A record that another one includes, or redirects to, is not there.
    case noRecord(of: String)
}

/// The check of a domain for one sending address, with the limits that receivers have
/// ([RFC 7208, section 4.6.4](https://www.rfc-editor.org/rfc/rfc7208#section-4.6.4)).
///
/// A question that has no answer yet matches nothing, so that the questions behind it are found in the same
/// run.
struct SPFEvaluation {
    /// The greatest number of mechanisms and modifiers that ask DNS.
    static let lookUps = 10
    /// The greatest number of those that find nothing.
    static let voidLookUps = 2
    /// The greatest number of a domain's mail exchangers.
    static let exchangers = 10

    private var table: DNSTable
    private let address: IPAddress?
    private var voids = 0
    /// The number of mechanisms and modifiers that have asked DNS.
    private(set) var asked = 0
    /// The ``SPFRecord/Mechanism/pointers(domain:)`` that were met.
    private(set) var hasPointers = false

    /// - Parameter address: The sending address; `nil` for one that nothing matches, for which a record
    ///   asks as much as it can.
    init(_ table: DNSTable, address: IPAddress?) {
        self.table = table
        self.address = address
    }

    /// The questions that nobody has asked yet.
    var missing: Set<DNSQuestion> { table.missing }

    /// Checks a domain.
    mutating func check(_ domain: String) -> SPFResult {
        do {
            return try result(of: domain)
        } catch {
            return error.result
        }
    }

    private struct Stop: Error {
        let result: SPFResult
    }

    private mutating func result(of domain: String) throws(Stop) -> SPFResult {
        let texts: [[UInt8]]
        switch table.texts(of: domain, SPFRecord.isSPF) {
        case .failure(let failure): throw Stop(result: .temporaryError(failure))
        case .success(let found): texts = found
        case nil: return .none
        }
        guard let text = texts.first else { return .none }
        guard texts.count == 1 else {
            throw Stop(result: .permanentError(.several(of: domain)))
        }
        let record: SPFRecord
        do throws(SPFMistake) {
            record = try SPFRecord(text)
        } catch {
            throw Stop(result: .permanentError(.mistake(error, of: domain)))
        }
        for directive in record.directives {
            if directive.mechanism.isLookUp { try count() }
            if try matches(directive.mechanism, of: domain) { return directive.qualifier.result }
        }
        guard let redirect = record.redirect else { return .neutral }
        try count()
        return try required(redirect)
    }

    private mutating func count() throws(Stop) {
        asked += 1
        if asked > Self.lookUps { throw Stop(result: .permanentError(.tooManyLookUps)) }
    }

    /// The result of a domain that has to have a record.
    private mutating func required(_ domain: String) throws(Stop) -> SPFResult {
        let result = try result(of: domain)
        guard result == .none, !table.missing.contains(.texts(domain)) else { return result }
        throw Stop(result: .permanentError(.noRecord(of: domain)))
    }

    private mutating func matches(
        _ mechanism: SPFRecord.Mechanism,
        of domain: String
    ) throws(Stop) -> Bool {
        switch mechanism {
        case .all: return true
        case .include(let other): return try required(other) == .pass
        case .network(let network, let length):
            return address?.isWithin(network, length: length) ?? false
        case .addresses(let other, let lengths):
            return try hasAddress(other ?? domain, lengths, countsVoid: true)
        case .exchangers(let other, let lengths):
            return try isExchanger(of: other ?? domain, lengths)
        case .pointers:
            // RFC 7208 says not to publish it; a receiver may pass over it.
            hasPointers = true
            return false
        case .exists(let name):
            let found = try addresses(of: name, version: 4, countsVoid: true)
            return address != nil && !found.isEmpty
        }
    }

    private mutating func hasAddress(
        _ name: String,
        _ lengths: SPFRecord.Lengths,
        countsVoid: Bool
    ) throws(Stop) -> Bool {
        let found = try addresses(
            of: name,
            version: address?.version ?? 4,
            countsVoid: countsVoid
        )
        guard let address else { return false }
        return found.contains { address.isWithin($0, length: lengths.length(for: address)) }
    }

    private mutating func addresses(
        of name: String,
        version: Int,
        countsVoid: Bool
    ) throws(Stop) -> [IPAddress] {
        switch table.addresses(of: name, version: version) {
        case .failure(let failure): throw Stop(result: .temporaryError(failure))
        case .success(let addresses):
            if countsVoid, addresses.isEmpty { try countVoid() }
            return addresses
        case nil: return []
        }
    }

    private mutating func countVoid() throws(Stop) {
        voids += 1
        if voids > Self.voidLookUps {
            throw Stop(result: .permanentError(.tooManyVoidLookUps))
        }
    }

    private mutating func isExchanger(
        of domain: String,
        _ lengths: SPFRecord.Lengths
    ) throws(Stop) -> Bool {
        switch table.answer(to: .exchangers(domain)) {
        case .failed(let failure): throw Stop(result: .temporaryError(failure))
        case .exchangers(let exchangers):
            guard exchangers.count <= Self.exchangers else {
                throw Stop(result: .permanentError(.tooManyExchangers(of: domain)))
            }
            for exchanger in exchangers where !exchanger.host.isEmpty {
                if try hasAddress(exchanger.host, lengths, countsVoid: false) { return true }
            }
            return false
        case .texts, .addresses, .names, .nothing:
            try countVoid()
            return false
        case nil: return false
        }
    }
}

extension SPFRecord.Qualifier {
    fileprivate var result: SPFResult {
        switch self {
        case .pass: .pass
        case .fail: .fail
        case .softFail: .softFail
        case .neutral: .neutral
        }
    }
}
