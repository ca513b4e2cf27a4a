internal import Hummingbird
internal import OutboxCore
internal import RelayAPI

/// A person's devices over HTTP.
struct DeviceController<Store: RelayStore>: Sendable {
    let store: Store
    let authenticator: Authenticator<Store>
    let clock: WallClock

    func addRoutes(to router: Router<RelayContext>) {
        router.get("\(RelayPath.devices)", use: list)
        router.delete("\(RelayPath.currentDevice)", use: revoke)
    }

    @Sendable private func list(
        _ request: Request,
        context: RelayContext
    ) async throws -> Response {
        let current = try await authenticator.device(of: request)
        let devices = try await store.devices(of: current.account).map {
            Device(
                name: $0.name,
                createdAt: $0.createdAt.millisecondsSinceEpoch,
                current: $0.id == current.id
            )
        }
        return .json(try RelayJSON.encode(DeviceList(devices: devices)))
    }

    @Sendable private func revoke(
        _ request: Request,
        context: RelayContext
    ) async throws -> Response {
        let current = try await authenticator.device(of: request)
        try await store.revoke(current.id, at: clock())
        return Response(status: .noContent)
    }
}
