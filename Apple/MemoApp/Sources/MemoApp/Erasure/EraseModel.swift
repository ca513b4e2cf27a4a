import MemoCourier
import MemoKit
import MemoSharing
import MemoTexts
import Store

/// Erasing the account at the relay without a screen, with a code that the relay mails, so that whoever has the
/// telephone alone erases nothing. ``MemoCourier/AccountErasure`` has the rules.
///
/// The person leaves the app to read the mail: the request for the code is kept meanwhile, and the box is opened
/// anew. An app that is killed meanwhile begins again, with another code.
///
/// | failure | outcome |
/// |---|---|
/// | the code is wrong | it is asked for again, as often as the relay takes one |
/// | the relay is not reached | the account is as it was |
/// | the answer is lost | the account is erased: the next request finds that this device is signed out |
/// | the records of the account cannot be removed | they stay sealed, and belong to nobody who is signed in |
@MainActor
final class EraseModel {
    let store: Store<EraseState>
    private let box: BoxQueue
    private let client: RelayClient
    private let erased: @MainActor () -> Void
    private var request: AccountErasure.Request?

    /// - Parameter erased: Called once nobody is signed in any more.
    init(
        box: BoxQueue,
        client: RelayClient,
        language: Language,
        erased: @escaping @MainActor () -> Void
    ) {
        store = Store(EraseState(language: language))
        self.box = box
        self.client = client
        self.erased = erased
    }

    /// Reads the account.
    func begin() {
        box.later { box throws(MemoError) in
            try box.account()?.address
        } then: { [weak self] address in
            self?.store.commit { state in
                switch address {
                case .success(let address): state.step = address.map { .warning($0) } ?? .erased
                case .failure(let error): state.notice = .device(error)
                }
            }
        }
    }

    /// Has a code mailed, in place of one that was mailed before.
    func askCode() {
        let language = store.state.language
        perform { erasure, _ throws(SignIn.Failure) in
            .mailed(try await erasure.mailCode(in: language))
        }
    }

    /// Erases the account with the code. Does nothing without one.
    func erase(code: String) {
        guard case .code = store.state.step, let request, !code.isEmpty else { return }
        perform { erasure, shared throws(SignIn.Failure) in
            guard try await erasure.erase(request, code: code) == nil else { return .wrongCode }
            // What this device knows of the account's records goes with the account.
            try? await shared.discard()
            return .erased
        }
    }

    // MARK: Work

    private enum Outcome: Sendable {
        case mailed(AccountErasure.Request)
        case wrongCode
        case erased
    }

    /// Performs one piece of work, unless there is one under way. A failure leaves the step as it is.
    private func perform(
        _ work:
            @escaping @Sendable (AccountErasure, SharedBox) async throws(SignIn.Failure) -> Outcome
    ) {
        guard !store.state.isBusy else { return }
        store.commit { state in (state.isBusy, state.notice) = (true, nil) }
        Task { [weak self, box, client] in
            let result = await box.useShared(by: client) { shared -> Result<Outcome, SignIn.Failure> in
                do throws(SignIn.Failure) {
                    return .success(try await work(Self.erasure(of: shared.box, client), shared))
                } catch {
                    return .failure(error)
                }
            }
            self?.ended(result)
        }
    }

    private nonisolated static func erasure(
        of box: MemoBox,
        _ client: RelayClient
    ) throws(SignIn.Failure) -> AccountErasure {
        do {
            return try AccountErasure(box: box, client: client)
        } catch {
            throw .device(error)
        }
    }

    /// - Parameter result: `nil` where the records could not be opened, or nobody is signed in.
    private func ended(_ result: Result<Outcome, SignIn.Failure>?) {
        var isErased = false
        if case .success(.mailed(let request))? = result { self.request = request }
        store.commit { state in
            state.isBusy = false
            switch result {
            case .success(.mailed)?:
                state.notice = .codeMailed
                if case .warning(let address) = state.step { state.step = .code(address) }
            case .success(.wrongCode)?: state.notice = .wrongCode
            case .success(.erased)?:
                state.step = .erased
                isErased = true
            case .failure(let failure)?: state.notice = SignInNotice(failure)
            case nil: state.notice = .device(.noAccount)
            }
        }
        if isErased { erased() }
    }
}
