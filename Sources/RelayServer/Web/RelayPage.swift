import HTTPTypes
import Hummingbird
import MemoTexts
import NIOCore

/// A page of the relay's own, in the design of the web app: the page of the mail about a device, and
/// the one for unknown addresses.
///
/// A page has no script and no inline style: its style is a file of the relay, so that a policy can
/// forbid every other one.
struct RelayPage {
    /// The address of the pages' style.
    static let stylePath = "/page.css"
    static let style = WebFile(path: stylePath, bytes: Array(styleText.utf8))

    let language: Language
    var status = HTTPResponse.Status.ok
    /// HTML that is made of the app's own texts, and of ``escaped(_:)`` ones.
    let content: String

    var response: Response {
        let html = """
            <!doctype html>
            <html lang="\(language.tag)" dir="\(language.isRightToLeft ? "rtl" : "ltr")">
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width">
            <meta name="color-scheme" content="light dark">
            <title>Simple Memo</title>
            <link rel="stylesheet" href="\(Self.stylePath)">
            <main>
            <h1>Simple Memo</h1>
            \(content)
            </main>

            """
        return Response(
            status: status,
            headers: [.contentType: "text/html; charset=utf-8", .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: html))
        )
    }

    /// A text that others have written, such as the name of a device, as HTML.
    static func escaped(_ text: String) -> String {
        text.map { character in
            switch character {
            case "&": "&amp;"
            case "<": "&lt;"
            case ">": "&gt;"
            case "\"": "&quot;"
            case "'": "&#39;"
            default: String(character)
            }
        }.joined()
    }

    /// The colours and measures are those of the web app.
    private static let styleText = """
        :root {
          color-scheme: light dark;
          --paper: #fdfdfb; --card: #f4f4f1; --ink: #1b1c1e; --soft: #5d6066;
          --accent: #3550b4; --on-accent: #fff;
          font: 100%/1.5 -apple-system, BlinkMacSystemFont, "Segoe UI", Roboto, "Helvetica Neue",
            "Noto Sans", system-ui, sans-serif;
          color: var(--ink);
          background: var(--paper);
          text-size-adjust: 100%;
          -webkit-text-size-adjust: 100%;
        }
        @media (prefers-color-scheme: dark) {
          :root {
            --paper: #141517; --card: #1f2023; --ink: #ececea; --soft: #a3a6ac;
            --accent: #aebcff; --on-accent: #131a3d;
          }
        }
        @media (prefers-contrast: more) { :root { --soft: var(--ink); } }
        *, ::before, ::after { box-sizing: border-box; }
        body { margin: 0; }
        main {
          max-inline-size: 42rem;
          margin-inline: auto;
          padding: max(2.5rem, env(safe-area-inset-top)) max(1.25rem, env(safe-area-inset-right))
            max(2.5rem, env(safe-area-inset-bottom)) max(1.25rem, env(safe-area-inset-left));
          overflow-wrap: break-word;
        }
        h1 { margin: 0 0 1.5rem; font-size: 1rem; font-weight: 600; color: var(--soft); }
        p { margin: 0 0 1.5rem; font-size: 1.1875rem; }
        .device { padding: .75rem 1rem; border-radius: .75rem; background: var(--card); font-size: 1rem; }
        .device small { display: block; font-size: .875rem; color: var(--soft); }
        button, .action {
          display: inline-flex;
          align-items: center;
          min-block-size: 2.75rem;
          padding: .5rem 1.25rem;
          border: 0;
          border-radius: .75rem;
          background: var(--accent);
          color: var(--on-accent);
          font: inherit;
          font-weight: 500;
          text-decoration: none;
          cursor: pointer;
        }
        :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }

        """
}

extension Request {
    /// The first language of `Accept-Language` that the relay speaks, else English. Browsers list the
    /// preferred one first, so that the weights need not be read.
    var preferredLanguage: Language {
        let tags = headers[.acceptLanguage]?.utf8.split(separator: UInt8(ascii: ",")) ?? []
        return Language(
            preferring: tags.map { tag in
                tag.prefix { $0 != UInt8(ascii: ";") }.filter { $0 != UInt8(ascii: " ") }
            }
        )
    }
}
