import HTTPTypes
import Hummingbird
import MemoCore
package import RelayAPI
import RelayRules
import WireCore

/// The settings of a person over HTTP.
struct SettingsController<Store: RelayStore>: Sendable {
    let service: SettingsService<Store>
    let authenticator: Authenticator<Store>
    let bodyTime: ExchangeTime

    func addRoutes(to router: Router<RelayContext>) {
        router.on(.settings, use: settings)
        router.on(.changeSettings, use: change)
        router.on(.settingsAnswer, use: answer)
    }

    @Sendable private func settings(
        _ request: Request,
        context: RelayContext
    ) async throws -> Response {
        let device = try await authenticator.device(of: request, in: context)
        let settings = try await service.settings(of: device.account)
        var response = Response.json(try RelayJSON.encode(settings))
        response.headers[.eTag] = EntityTag.text(of: settings.version)
        return response
    }

    @Sendable private func change(
        _ request: Request,
        context: RelayContext
    ) async throws -> Response {
        let device = try await authenticator.device(of: request, in: context)
        let madeOn = try request.madeOn()
        let change = try await request.json(
            SettingsRequest.self,
            limit: RelayLimits.settingsBodyLength,
            within: bodyTime,
            isHere: context.hasWholeBody
        )
        let answer = try await service.change(change, madeOn: madeOn, of: device)
        var response = Response.json(
            try RelayJSON.encode(answer),
            status: .init(code: answer.answer.status)
        )
        response.headers[.eTag] = answer.version.map(EntityTag.text(of:))
        return response
    }

    @Sendable private func answer(
        _ request: Request,
        context: RelayContext
    ) async throws -> Response {
        let device = try await authenticator.device(of: request, in: context)
        let question = try await request.json(
            ChangeIdentity.self,
            limit: RelayLimits.bodyLength,
            within: bodyTime,
            isHere: context.hasWholeBody
        )
        let answer = try await service.answer(to: question, of: device.account)
        return .json(try RelayJSON.encode(answer))
    }
}

extension SettingsAnswer.Kind {
    /// The HTTP status of an answer to a change.
    package var status: Int {
        switch self {
        case .accepted: 200
        case .conflict: 412
        case .refused: 422
        case .newNode: 409
        }
    }
}

/// A version as a strong entity tag
/// ([RFC 9110, section 8.8.3](https://www.rfc-editor.org/rfc/rfc9110#section-8.8.3)).
enum EntityTag {
    static func text(of version: Int64) -> String { "\"\(version)\"" }

    /// - Returns: `nil` for a text that ``text(of:)`` did not make.
    static func version(of text: String) -> Int64? {
        guard let version = Int64(text.dropFirst().dropLast()), version > 0,
            self.text(of: version) == text
        else { return nil }
        return version
    }
}

extension Request {
    /// The version on which a change was made, of `If-Match`; 0 for `If-None-Match: *`, and -1, which no
    /// settings have, for a tag that is no version.
    ///
    /// - Throws: ``Refusal/unconditional`` for a request that does not say exactly one of them.
    fileprivate func madeOn() throws(Refusal) -> Int64 {
        let matching = headers[values: .ifMatch]
        let others = headers[values: .ifNoneMatch]
        if matching.isEmpty, others == ["*"] { return 0 }
        guard others.isEmpty, matching.count == 1, matching != ["*"] else { throw .unconditional }
        return EntityTag.version(of: matching[0]) ?? -1
    }
}
