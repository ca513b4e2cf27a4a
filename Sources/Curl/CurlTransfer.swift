package import CurlShims

/// One transfer: libcurl's options, and what libcurl calls while the transfer runs.
///
/// libcurl calls the functions on the thread that performs the transfer.
package struct CurlTransfer {
    /// Options whose value is a text.
    package var texts: [(option: CURLoption, value: String)] = []
    /// Options whose value is a number.
    package var numbers: [(option: CURLoption, value: Int)] = []
    /// Options whose value is a list of texts.
    package var lists: [(option: CURLoption, value: [String])] = []
    /// The body of an HTTP request; empty for none.
    package var body: [UInt8] = []

    /// Takes bytes of the answer. `false` ends the transfer with `CURLE_WRITE_ERROR`.
    package var receive: ((UnsafeRawBufferPointer) -> Bool)?
    /// Fills a buffer with bytes of an upload, and returns their number: 0 at the end.
    package var provide: ((UnsafeMutableRawBufferPointer) -> Int)?
    /// Notes a command that libcurl sends, such as `MAIL FROM:…`; in HTTP, the request's header. It
    /// may hold a password.
    package var noteCommand: ((UnsafeRawBufferPointer) -> Void)?
    /// Notes a line of the server's answer, or a header field, that has arrived.
    package var noteAnswer: ((UnsafeRawBufferPointer) -> Void)?
    /// Notes that there is a connection, before the request is sent.
    package var noteConnection: (() -> Void)?
    /// Whether to end the transfer with `CURLE_ABORTED_BY_CALLBACK`. Asked about once a second, and
    /// whenever bytes arrive.
    package var shouldStop: () -> Bool = { false }

    /// A transfer without options.
    package init() {}
}
