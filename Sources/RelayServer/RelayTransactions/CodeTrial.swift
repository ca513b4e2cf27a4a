import MemoTexts
import OutboxCore
import RelayRules

/// A try of a code that a person entered, inside of a transaction. A try of a long code is not counted:
/// nobody guesses one.
struct CodeTrial: Sendable {
    struct Found: Sendable {
        /// The code under the handle, where digits were entered.
        let code: MailedCode?
        /// The address's long code, where that was entered.
        let longCode: MailedLongCode?
    }

    /// The network that a code was entered in, and what its request brings.
    struct Origin: Sendable {
        let pair: [UInt8]
        let language: Language
    }

    enum Result: Sendable {
        /// With the writes that count the try.
        case refused([RelayWrite])
        /// With the writes that use up the address's codes.
        case right(Origin, spent: [RelayWrite])
    }

    let code: EnteredCode
    /// A keyed hash of the address to which the code was mailed.
    let addressKey: [UInt8]
    let now: WallTime
    let rules: VerificationRules

    func find(in tables: some RelayReads) throws -> Found {
        switch code {
        case .digits(_, let handle):
            Found(code: try tables.code(under: handle), longCode: nil)
        case .long(let code, _):
            Found(code: nil, longCode: try tables.longCode(code, of: addressKey))
        case .vouched: Found(code: nil, longCode: nil)
        }
    }

    func decide(_ found: Found) -> Result {
        switch code {
        case .digits(let code, let handle):
            return found.code.map { tried(code, of: $0, under: handle) } ?? .refused([])
        case .long(_, let pair):
            guard let mailed = found.longCode, mailed.life.contains(now) else {
                return .refused([])
            }
            let origin = Origin(pair: pair, language: mailed.language)
            return .right(origin, spent: [.dropLongCodes(of: addressKey)])
        case .vouched: return .refused([])
        }
    }

    /// The origin of a sign-in that a proxy vouches for; `nil` where a code was entered.
    var vouched: Origin? {
        guard case .vouched(let pair, let language) = code else { return nil }
        return Origin(pair: pair, language: language)
    }

    private func tried(
        _ code: [UInt8],
        of mailed: MailedCode,
        under handle: [UInt8]
    ) -> Result {
        switch mailed.code.tried(code, at: now, rules) {
        case .refused: return .refused([])
        case .wrong(let counted):
            let failed = RelayWrite.failedTry(
                mailed.share,
                step: GuessBudget.step(of: now),
                chance: GuessBudget.chance(digits: mailed.code.digits)
            )
            let change =
                counted.map { RelayWrite.tried($0, under: handle) } ?? .dropCode(handle)
            return .refused([failed, change])
        case .right:
            let origin = Origin(pair: mailed.pair, language: mailed.language)
            return .right(origin, spent: [.dropCode(handle), .dropLongCodes(of: addressKey)])
        }
    }
}
