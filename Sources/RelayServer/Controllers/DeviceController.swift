import HTTPTypes
import Hummingbird
import MemoCore
import OutboxCore
package import RelayAPI
package import RelayRules

/// A person's devices over HTTP.
struct DeviceController<Store: RelayStore>: Sendable {
    let store: Store
    let authenticator: Authenticator<Store>
    let clock: WallClock

    func addRoutes(to router: Router<RelayContext>) {
        router.on(.devices, use: list)
        router.on(.revokeCurrentDevice, use: revokeCurrent)
        router.on(.revokeDevice, use: revoke)
    }

    @Sendable private func list(
        _ request: Request,
        context: RelayContext
    ) async throws -> Response {
        let current = try await authenticator.device(of: request, in: context)
        let devices = try await store.devices(of: current.account)
        return .json(try RelayJSON.encode(DeviceList(devices, askedBy: current.id)))
    }

    @Sendable private func revokeCurrent(
        _ request: Request,
        context: RelayContext
    ) async throws -> Response {
        let current = try await authenticator.device(of: request, in: context)
        return try await revoke(current.id, of: current.account)
    }

    @Sendable private func revoke(
        _ request: Request,
        context: RelayContext
    ) async throws -> Response {
        let current = try await authenticator.device(of: request, in: context)
        guard let text = context.parameters.get("id"), let id = OperationID(text: text.utf8) else {
            throw Refusal.notFound
        }
        return try await revoke(DeviceID(bits: id), of: current.account)
    }

    private func revoke(_ device: DeviceID, of account: AccountID) async throws -> Response {
        guard let version = try await store.revoke(device, of: account, at: clock()) else {
            throw Refusal.notFound
        }
        var response = Response(status: .noContent)
        if let name = HTTPField.Name("\(RelayHeader.relayVersion)") {
            response.headers[name] = "\(version)"
        }
        return response
    }
}

extension DeviceList {
    /// The devices of an account, as one of them is told.
    package init(_ devices: [DeviceRecord], askedBy current: DeviceID) {
        self.init(
            devices: devices.map {
                Device(
                    id: "\($0.id.bits)",
                    name: $0.name,
                    createdAt: $0.createdAt.millisecondsSinceEpoch,
                    usedAt: $0.usedAt?.millisecondsSinceEpoch,
                    current: $0.id == current
                )
            }
        )
    }
}
