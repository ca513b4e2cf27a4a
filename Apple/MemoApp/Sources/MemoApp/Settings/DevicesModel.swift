import MemoCore
import MemoCourier
import MemoKit
import MemoTexts
import Store

/// The devices of the person without a screen: those that hold a token for the account. They come from the
/// records that all devices share, so that they are there without a network; the relay adds when each was
/// used. A device that is signed out here leaves the list at once, whenever the relay learns of it.
@MainActor
final class DevicesModel: ListModel {
    /// The relay's name of the device.
    typealias RowID = [UInt8]

    let screen: ListScreen
    private let store = Store(DevicesState())
    private let parts: AppParts
    private var subscription: Subscription?

    init(_ parts: AppParts) {
        self.parts = parts
        screen = ListScreen(title: .devices, clock: parts.clock)
    }

    var isRefreshable: Bool { true }

    func rows() -> Derived<[RowID]> { store.derived { $0.devices.map(\.id) } }

    func row(_ id: RowID) -> Derived<ListRow> {
        let device = store.derived { state in state.devices.first { $0.id == id } }
        return .combine(device, parts.language.derived(\.self)) { device, language in
            device.map { ListRow($0, in: language) } ?? ListRow(title: "")
        }
    }

    func begin() {
        subscription = parts.changes.sinkState(on: MainActor.shared, backlog: .merged) {
            [weak self] _ in
            self?.readShared()
        }
        parts.deliveries.sharedChanged()
        ask(isQuiet: true) {}
    }

    func refresh() {
        screen.refreshes(true)
        parts.deliveries.sharedChanged()
        ask(isQuiet: false) { [weak self] in self?.screen.refreshes(false) }
    }

    func tapped(_ id: RowID) {}

    func take(_ offer: ListOffer, of id: RowID) {
        guard offer == .revoke, let device = store.state.devices.first(where: { $0.id == id })
        else { return }
        let question = ListQuestion(
            title: .deviceQuestion,
            message: .filled(.deviceHint, device.name),
            confirm: .signOut
        )
        screen.ask(question) { [weak self] in self?.revoke(device) }
    }

    private func revoke(_ device: DevicesState.Device) {
        guard store.state.isShared else { return revokeAtRelay(device.id) }
        parts.deliveries.revoke(device.id) { [weak self] isTold in
            guard let self else { return }
            switch isTold {
            case true?: screen.say(.text(.deviceSignedOut))
            case false?: screen.say(.command(.deviceLeaving, device.name))
            case nil: screen.say(.device(.unknownDevice))
            }
        }
    }

    /// Before the first synchronisation there are no records: the relay itself is told.
    private func revokeAtRelay(_ id: RowID) {
        perform { devices throws(AccountDevices.Failure) in
            try await devices.revoke(id)
        } then: { model, _ in
            model.screen.say(.text(.deviceSignedOut))
            model.ask(isQuiet: true) {}
        }
    }

    private func readShared() {
        parts.box.later { box throws(MemoError) in
            try box.sharedView()?.devices ?? []
        } then: { [weak self] devices in
            if case .success(let devices) = devices { self?.store.commit { $0.shared = devices } }
        }
    }

    /// Asks the relay.
    ///
    /// - Parameters:
    ///   - isQuiet: Whether a failure needs no word, as the devices may be known without the relay.
    ///   - then: Called when the answer is shown, or none has come.
    private func ask(isQuiet: Bool, _ then: @escaping @MainActor () -> Void) {
        perform { devices throws(AccountDevices.Failure) in
            try await devices.list()
        } then: { model, devices in
            model.store.commit { $0.listed = devices }
        } otherwise: { model, sentence in
            if !isQuiet || model.store.state.devices.isEmpty { model.screen.say(sentence) }
        } finally: {
            then()
        }
    }

    private func perform<Value: Sendable>(
        _ work: @escaping @Sendable (AccountDevices) async throws(AccountDevices.Failure) -> Value,
        then: @escaping @MainActor (DevicesModel, Value) -> Void,
        otherwise: @escaping @MainActor (DevicesModel, Sentence) -> Void = { $0.screen.say($1) },
        finally: @escaping @MainActor () -> Void = {}
    ) {
        Task { [weak self, box = parts.box, client = parts.client] in
            let result = await Self.result(of: work, with: box, client)
            switch result {
            case .success(let value):
                if let self { then(self, value) }
            case .failure(.relay(let trouble)):
                if let self { otherwise(self, .trouble(trouble)) }
            case .failure(.device(let error)):
                if let self { otherwise(self, .device(error)) }
            }
            finally()
        }
    }

    private nonisolated static func result<Value: Sendable>(
        of work: @Sendable (AccountDevices) async throws(AccountDevices.Failure) -> Value,
        with box: BoxQueue,
        _ client: RelayClient
    ) async -> Result<Value, AccountDevices.Failure> {
        let opened: MemoBox
        do {
            opened = try await box.box()
        } catch {
            return .failure(.device(error))
        }
        do throws(AccountDevices.Failure) {
            return .success(try await work(AccountDevices(box: opened, client: client)))
        } catch {
            return .failure(error)
        }
    }
}

extension ListRow {
    fileprivate init(_ device: DevicesState.Device, in language: Language) {
        let since = language.string(AppText.deviceSince, Dates.local(device.createdAt))
        let used = device.usedAt.map { language.string(AppText.deviceUsed, Dates.local($0)) }
        let current = device.isCurrent ? language.string(AppText.deviceCurrent) : nil
        self.init(
            title: device.name,
            detail: [current, since, used].compactMap { $0 }.joined(separator: "\n"),
            offers: device.isRevocable ? [.revoke] : []
        )
    }
}
