import MemoCore
import MemoCourier
import MemoKit
import MemoTexts
import Store
import Synchronization

/// Signing in and out without a screen. ``MemoCourier/SignIn`` has the order of steps.
///
/// Each press of a button is a sign-in of its own, which goes on with the code that was mailed before:
/// the person leaves the app to read the mail, and the app may be suspended or killed meanwhile.
@MainActor
final class SignInModel {
    let store: Store<SignInState>
    private let box: BoxQueue
    private let client: RelayClient
    private let relay: Result<RelayLocation, RelayLocationError>
    private let signedIn: @MainActor () -> Void

    /// - Parameter signedIn: Has memos delivered. Called once the account is stored.
    init(
        box: BoxQueue,
        client: RelayClient,
        relay: Result<RelayLocation, RelayLocationError>,
        language: Language,
        signedIn: @escaping @MainActor () -> Void
    ) {
        store = Store(SignInState(language: language))
        self.box = box
        self.client = client
        self.relay = relay
        self.signedIn = signedIn
    }

    /// Reads the account, and the sign-in that waits for its code.
    func begin() {
        box.later { box throws(MemoError) -> SignInState.Step in
            // Where the relay refuses the token, the person signs in anew.
            if try box.accountStanding() == .signedIn, let account = try box.account() {
                return .signedIn(account.address)
            }
            let open = try box.openVerification()
            return open.map { .code($0.address) } ?? .address
        } then: { [weak self] result in
            self?.store.commit { state in
                switch result {
                case .success(let step): state.step = step
                case .failure(let error): (state.step, state.notice) = (.address, .device(error))
                }
            }
        }
    }

    /// Has a code mailed, in place of one that was mailed before.
    func askCode(for address: String) {
        // To the offer to go on with the code that was mailed before, an empty answer asks for another.
        signIn(address, answer: "")
    }

    /// Has a code mailed to the same address.
    func askCodeAgain() {
        guard case .code(let address) = store.state.step else { return }
        signIn(address, answer: "")
    }

    /// Signs in with the code. Does nothing without one.
    func confirm(_ code: String) {
        guard case .code(let address) = store.state.step, !code.isEmpty else { return }
        signIn(address, answer: code)
    }

    /// Has the relay revoke the token, and forgets the account.
    func signOut() {
        perform { signIn, _ throws(SignIn.Failure) in
            let isTold = try await signIn.signOut()
            return (.address, isTold ? nil : .relayUntold)
        }
    }

    // MARK: Work

    private func signIn(_ address: String, answer: String) {
        let answer = PersonsAnswer(answer)
        let language = store.state.language
        perform { signIn, relay throws(SignIn.Failure) in
            do throws(SignIn.Failure) {
                try await signIn.signIn(address, at: relay, in: language) { answer.next($0) }
                return (.signedIn(address), nil)
            } catch {
                switch error {
                case .noCode: return (.code(address), SignInNotice(answer.complaint))
                case .noTriesLeft, .expired: return (.address, SignInNotice(error))
                case .relay, .device: throw error
                }
            }
        }
    }

    private typealias Outcome = (step: SignInState.Step, notice: SignInNotice?)

    /// Performs one piece of work, unless there is one under way. A failure leaves the step as it is.
    private func perform(
        _ work: @escaping @Sendable (SignIn, RelayLocation) async throws(SignIn.Failure) -> Outcome
    ) {
        guard !store.state.isBusy else { return }
        let relay: RelayLocation
        do {
            relay = try self.relay.get()
        } catch {
            return store.commit { $0.notice = .noRelay(error) }
        }
        store.commit { state in (state.isBusy, state.notice) = (true, nil) }
        Task { [box, client] in
            let result: Result<Outcome, SignIn.Failure>
            do throws(SignIn.Failure) {
                let box = try await Self.opened(box)
                result = .success(try await work(SignIn(box: box, client: client) {}, relay))
            } catch {
                result = .failure(error)
            }
            ended(result)
        }
    }

    private func ended(_ result: Result<Outcome, SignIn.Failure>) {
        store.commit { state in
            state.isBusy = false
            switch result {
            case .success(let outcome): (state.step, state.notice) = outcome
            case .failure(let failure): state.notice = SignInNotice(failure)
            }
        }
        if case .success((.signedIn, _)) = result { signedIn() }
    }

    private nonisolated static func opened(
        _ box: BoxQueue
    ) async throws(SignIn.Failure) -> MemoBox {
        do {
            return try await box.box()
        } catch {
            throw .device(error)
        }
    }
}

/// The one answer of a person to the questions of a sign-in, and the last complaint.
private final class PersonsAnswer: Sendable {
    private let state: Mutex<(answer: String?, complaint: SignIn.Complaint?)>

    init(_ answer: String) {
        state = Mutex((answer, nil))
    }

    /// The complaint about the answer; `nil` where a code was mailed instead.
    var complaint: SignIn.Complaint? { state.withLock { $0.complaint } }

    /// The answer, to the offer to go on with the code that was mailed before; `nil` to each other
    /// question.
    func next(_ complaint: SignIn.Complaint?) -> String? {
        state.withLock { state in
            if case .continued = complaint { return state.answer.take() }
            state.complaint = complaint
            return nil
        }
    }
}
