import HTTPTypes
import Hummingbird
import Logging
import Outbox
import RelayAPI

/// Turns every error into an answer that reveals nothing of the request.
struct ProblemMiddleware: RouterMiddleware {
    func handle(
        _ request: Request,
        context: RelayContext,
        next: (Request, RelayContext) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch let refusal as Refusal {
            return try .problem(refusal)
        } catch let error as HTTPError {
            return try .problem(Self.refusal(for: error.status))
        } catch let error as StorageError {
            log(error, context)
            return try .problem(.unavailable)
        } catch let error as KeyStoreError {
            log(error, context)
            return try .problem(.unavailable)
        } catch is CancellationError {
            return try .problem(.unavailable)
        } catch {
            log(error, context)
            return try .problem(.internalError)
        }
    }

    private static func refusal(for status: HTTPResponse.Status) -> Refusal {
        switch status {
        case .notFound: .notFound
        case .contentTooLarge: .tooLarge
        case .badRequest: .malformedRequest
        default: .internalError
        }
    }

    private func log(_ error: any Error, _ context: RelayContext) {
        context.logger.error(
            "request failed",
            metadata: [
                "endpoint": "\(context.endpointPath ?? "none")",
                "error": "\(String(reflecting: type(of: error)))",
            ]
        )
    }
}
