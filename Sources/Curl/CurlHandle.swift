package import CurlShims

/// A libcurl handle, which keeps its connection for the next transfer.
///
/// Sendable, but for one thread at a time.
package final class CurlHandle: @unchecked Sendable {
    private static let isReady = memo_curl_global_init() == CURLE_OK

    private let handle: UnsafeMutableRawPointer
    /// The functions that libcurl may call: kept until the handle forgets them.
    private var callbacks: Callbacks?

    /// Makes a handle.
    ///
    /// - Returns: `nil` when libcurl cannot be initialised, or when there is no memory.
    package init?() {
        guard Self.isReady, let handle = curl_easy_init() else { return nil }
        self.handle = handle
    }

    deinit {
        curl_easy_cleanup(handle)
    }

    /// Performs a transfer; blocks.
    ///
    /// ``responseCode`` and ``field(_:)`` speak of the transfer until ``reset()``, which has to
    /// precede the next transfer.
    ///
    /// - Returns: How the transfer ended; `nil` when libcurl refuses an option: nothing was sent.
    package func perform(_ transfer: CurlTransfer) -> CURLcode? {
        let callbacks = Callbacks(transfer)
        self.callbacks = callbacks
        var lists: [UnsafeMutablePointer<curl_slist>?] = []
        defer { for list in lists { curl_slist_free_all(list) } }
        for (option, values) in transfer.lists {
            var list: UnsafeMutablePointer<curl_slist>?
            for value in values {
                guard let longer = curl_slist_append(list, value) else {
                    curl_slist_free_all(list)
                    return nil
                }
                list = longer
            }
            lists.append(list)
            guard memo_curl_set_list(handle, option, list) == CURLE_OK else { return nil }
        }
        return transfer.body.withUnsafeBytes { body in
            guard set(transfer), set(body), set(callbacks, of: transfer) else { return nil }
            return curl_easy_perform(handle)
        }
    }

    /// The status of an HTTP answer, or the last reply code of an SMTP server; 0 for none.
    package var responseCode: Int { memo_curl_response_code(handle) }

    /// A header field of the answer itself, not of a proxy's before it. Several of one name count as
    /// one ([RFC 9110, section 5.3](https://www.rfc-editor.org/rfc/rfc9110#section-5.3)).
    package func field(_ name: String) -> String? {
        var values: [String] = []
        var amount = 1
        while values.count < amount {
            var field: UnsafeMutablePointer<curl_header>?
            let origin = UInt32(CURLH_HEADER)
            guard
                curl_easy_header(handle, name, values.count, origin, -1, &field) == CURLHE_OK,
                let found = field?.pointee
            else { break }
            amount = found.amount
            values.append(String(cString: found.value))
        }
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }

    /// Forgets the transfer and its options. The connection stays open.
    package func reset() {
        curl_easy_reset(handle)
        callbacks = nil
    }

    /// Reads nothing more from the open connection. To be called before the last reference to the
    /// handle goes: libcurl then ends the session (`QUIT`) without waiting for an answer, for which
    /// a server that hangs would take minutes.
    package func endReading() {
        memo_curl_end_reading(handle)
    }

    private func set(_ transfer: CurlTransfer) -> Bool {
        transfer.texts.allSatisfy { memo_curl_set_string(handle, $0.option, $0.value) == CURLE_OK }
            && transfer.numbers.allSatisfy {
                memo_curl_set_long(handle, $0.option, $0.value) == CURLE_OK
            }
            && memo_curl_set_long(handle, CURLOPT_NOSIGNAL, 1) == CURLE_OK
    }

    private func set(_ body: UnsafeRawBufferPointer) -> Bool {
        guard body.count > 0 else { return true }
        let bytes = UnsafeMutableRawPointer(mutating: body.baseAddress)
        return memo_curl_set_long(handle, CURLOPT_POSTFIELDSIZE, body.count) == CURLE_OK
            && memo_curl_set_pointer(handle, CURLOPT_POSTFIELDS, bytes) == CURLE_OK
    }

    private func set(_ callbacks: Callbacks, of transfer: CurlTransfer) -> Bool {
        let context = Unmanaged.passUnretained(callbacks).toOpaque()
        var isSet = memo_curl_set_progress(handle, askWhetherToStop, context) == CURLE_OK
        if transfer.receive != nil {
            isSet = isSet && memo_curl_set_write(handle, receive, context) == CURLE_OK
        }
        if transfer.provide != nil {
            isSet = isSet && memo_curl_set_read(handle, provide, context) == CURLE_OK
        }
        if transfer.noteAnswer != nil {
            isSet = isSet && memo_curl_set_header(handle, noteAnswer, context) == CURLE_OK
        }
        if transfer.noteCommand != nil {
            isSet = isSet && memo_curl_set_debug(handle, noteCommand, context) == CURLE_OK
        }
        if transfer.noteConnection != nil {
            isSet = isSet && memo_curl_set_prerequest(handle, noteConnection, context) == CURLE_OK
        }
        return isSet
    }
}

/// A transfer as libcurl's `void *` names it.
private final class Callbacks {
    let transfer: CurlTransfer

    init(_ transfer: CurlTransfer) {
        self.transfer = transfer
    }

    static func transfer(_ context: UnsafeMutableRawPointer?) -> CurlTransfer {
        guard let context else { preconditionFailure("libcurl lost its context") }
        return Unmanaged<Callbacks>.fromOpaque(context).takeUnretainedValue().transfer
    }
}

private func receive(
    _ bytes: UnsafeMutablePointer<CChar>?,
    _ size: Int,
    _ count: Int,
    _ context: UnsafeMutableRawPointer?
) -> Int {
    let bytes = UnsafeRawBufferPointer(start: bytes, count: size * count)
    return Callbacks.transfer(context).receive?(bytes) == true ? bytes.count : 0
}

private func provide(
    _ buffer: UnsafeMutablePointer<CChar>?,
    _ size: Int,
    _ count: Int,
    _ context: UnsafeMutableRawPointer?
) -> Int {
    let buffer = UnsafeMutableRawBufferPointer(start: buffer, count: size * count)
    return Callbacks.transfer(context).provide?(buffer) ?? 0
}

private func noteAnswer(
    _ bytes: UnsafeMutablePointer<CChar>?,
    _ size: Int,
    _ count: Int,
    _ context: UnsafeMutableRawPointer?
) -> Int {
    let bytes = UnsafeRawBufferPointer(start: bytes, count: size * count)
    Callbacks.transfer(context).noteAnswer?(bytes)
    return bytes.count
}

private func noteCommand(
    _: UnsafeMutableRawPointer?,
    _ kind: curl_infotype,
    _ bytes: UnsafeMutablePointer<CChar>?,
    _ count: Int,
    _ context: UnsafeMutableRawPointer?
) -> Int32 {
    if kind == CURLINFO_HEADER_OUT {
        Callbacks.transfer(context).noteCommand?(UnsafeRawBufferPointer(start: bytes, count: count))
    }
    return 0
}

private func noteConnection(
    _ context: UnsafeMutableRawPointer?,
    _: UnsafeMutablePointer<CChar>?,
    _: UnsafeMutablePointer<CChar>?,
    _: Int32,
    _: Int32
) -> Int32 {
    Callbacks.transfer(context).noteConnection?()
    return Int32(CURL_PREREQFUNC_OK)
}

private func askWhetherToStop(
    _ context: UnsafeMutableRawPointer?,
    _: curl_off_t,
    _: curl_off_t,
    _: curl_off_t,
    _: curl_off_t
) -> Int32 {
    Callbacks.transfer(context).shouldStop() ? 1 : 0
}
