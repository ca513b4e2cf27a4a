import MemoCore
import MemoCourier
import MemoKit
import MemoTexts

/// What the screen for signing in and out shows. What the person types is in the field.
struct SignInState: Hashable, Sendable {
    enum Step: Hashable, Sendable {
        /// The account is being read.
        case reading
        /// Nobody is signed in: an address is asked for.
        case address
        /// A code was mailed to this address.
        case code(String)
        /// Memos go to this address.
        case signedIn(String)
    }

    var step = Step.reading
    /// Whether the relay is being asked.
    var isBusy = false
    var notice: SignInNotice?
    var language: Language
}

/// A sentence below the field, which VoiceOver speaks.
enum SignInNotice: Hashable, Sendable {
    case codeMailed
    /// The code has not this number of digits.
    case wrongLength(Int)
    /// The long code of the latest mail is asked for.
    case longCode
    case wrongCode
    case noTriesLeft
    case expired
    case trouble(RelayTrouble)
    /// The relay's URL in the property list is none.
    case noRelay(RelayLocationError)
    /// The device has signed out, and the relay does not know of it.
    case relayUntold
    case device(MemoError)

    /// - Parameter complaint: `nil` where a code was mailed.
    init(_ complaint: SignIn.Complaint?) {
        self =
            switch complaint {
            case nil, .continued: .codeMailed
            case .wrongLength(let digits): .wrongLength(digits)
            case .longCode: .longCode
            case .wrong: .wrongCode
            case .noNewCode(let trouble): .trouble(trouble)
            }
    }

    init(_ failure: SignIn.Failure) {
        self =
            switch failure {
            case .relay(let trouble, _): .trouble(trouble)
            case .device(let error): .device(error)
            case .noCode: .codeMailed
            case .noTriesLeft: .noTriesLeft
            case .expired: .expired
            }
    }

    func sentence(in language: Language) -> String {
        switch self {
        case .codeMailed: language.string(AppText.codeSent)
        case .wrongLength(let digits): language.string(AppText.codeInvalid, "\(digits)")
        case .longCode: language.string(AppText.longCode)
        case .wrongCode: language.string(AppText.codeRejected)
        case .noTriesLeft: language.string(AppText.codeSpent)
        case .expired: language.string(AppText.codeExpired)
        case .trouble(let trouble): trouble.sentence(in: language)
        case .noRelay(let error): error.sentence(in: language)
        case .relayUntold: language.string(AppText.signOutUntold)
        case .device(let error): error.sentence(in: language)
        }
    }
}
