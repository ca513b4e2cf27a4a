import MemoCore
import MemoCourier
import MemoKit
import MemoTexts
import Store

/// The devices of the person without a screen: those that hold a token for the account.
@MainActor
final class DevicesModel: ListModel {
    /// The relay's name of the device.
    typealias RowID = [UInt8]

    let screen: ListScreen
    private let store = Store<[ListedDevice]>([])
    private let parts: AppParts

    init(_ parts: AppParts) {
        self.parts = parts
        screen = ListScreen(title: .devices, clock: parts.clock)
    }

    var isRefreshable: Bool { true }

    func rows() -> Derived<[RowID]> { store.derived { $0.map(\.id) } }

    func row(_ id: RowID) -> Derived<ListRow> {
        let device = store.derived { devices in devices.first { $0.id == id } }
        return .combine(device, parts.language.derived(\.self)) { device, language in
            device.map { ListRow($0, in: language) } ?? ListRow(title: "")
        }
    }

    func begin() {
        read {}
    }

    func refresh() {
        screen.refreshes(true)
        read { [weak self] in self?.screen.refreshes(false) }
    }

    func tapped(_ id: RowID) {}

    func take(_ offer: ListOffer, of id: RowID) {
        guard offer == .revoke, let device = store.state.first(where: { $0.id == id }) else {
            return
        }
        let question = ListQuestion(
            title: .deviceQuestion,
            message: .filled(.deviceHint, device.nameText),
            confirm: .signOut
        )
        screen.ask(question) { [weak self] in self?.revoke(id) }
    }

    private func revoke(_ id: RowID) {
        perform { devices throws(AccountDevices.Failure) in
            try await devices.revoke(id)
        } then: { model, _ in
            model.screen.say(.text(.deviceSignedOut))
            model.read {}
        }
    }

    /// - Parameter then: Called when the devices are shown, or a sentence says why not.
    private func read(_ then: @escaping @MainActor () -> Void) {
        perform { devices throws(AccountDevices.Failure) in
            try await devices.list()
        } then: { model, devices in
            model.store.commit { $0 = devices }
        } finally: {
            then()
        }
    }

    private func perform<Value: Sendable>(
        _ work: @escaping @Sendable (AccountDevices) async throws(AccountDevices.Failure) -> Value,
        then: @escaping @MainActor (DevicesModel, Value) -> Void,
        finally: @escaping @MainActor () -> Void = {}
    ) {
        Task { [weak self, box = parts.box, client = parts.client] in
            let result = await Self.result(of: work, with: box, client)
            switch result {
            case .success(let value):
                if let self { then(self, value) }
            case .failure(.relay(let trouble)): self?.screen.say(.trouble(trouble))
            case .failure(.device(let error)): self?.screen.say(.device(error))
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
    fileprivate init(_ device: ListedDevice, in language: Language) {
        let since = language.string(AppText.deviceSince, Dates.local(device.createdAt))
        let used = device.usedAt.map { language.string(AppText.deviceUsed, Dates.local($0)) }
        let current = device.isCurrent ? language.string(AppText.deviceCurrent) : nil
        self.init(
            title: device.nameText,
            detail: [current, since, used].compactMap { $0 }.joined(separator: "\n"),
            offers: device.isCurrent ? [] : [.revoke]
        )
    }
}

extension ListedDevice {
    fileprivate var nameText: String { String(decoding: name, as: UTF8.self) }
}
