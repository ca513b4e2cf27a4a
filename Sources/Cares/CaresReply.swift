import CCares
import LibC
import MailDomain

/// A reply of a name server, as c-ares reads it. Valid during c-ares's call alone.
struct CaresReply {
    let bytes: UnsafeMutablePointer<UInt8>
    let length: Int32

    /// The strings of each TXT record, joined ([RFC 7208, section
    /// 3.3](https://www.rfc-editor.org/rfc/rfc7208#section-3.3)).
    func texts(_ limits: CaresResolver.Limits) -> DNSAnswer {
        var list: UnsafeMutablePointer<ares_txt_ext>?
        let status = ares_parse_txt_reply_ext(bytes, length, &list)
        defer { if let list { ares_free_data(list) } }
        guard status == ARES_SUCCESS else { return Self.unread(status) }
        var texts: [[UInt8]] = []
        var next = list
        while let string = next?.pointee {
            if string.record_start != 0 { texts.append([]) }
            guard !texts.isEmpty, texts.count <= limits.records,
                texts[texts.count - 1].count + string.length <= limits.textBytes
            else { return .failed(.tooLarge) }
            texts[texts.count - 1] += UnsafeBufferPointer(start: string.txt, count: string.length)
            next = string.next
        }
        return texts.isEmpty ? .nothing : .texts(texts)
    }

    func exchangers(_ limits: CaresResolver.Limits) -> DNSAnswer {
        var list: UnsafeMutablePointer<ares_mx_reply>?
        let status = ares_parse_mx_reply(bytes, length, &list)
        defer { if let list { ares_free_data(list) } }
        guard status == ARES_SUCCESS else { return Self.unread(status) }
        var exchangers: [MailExchanger] = []
        var next = list
        while let record = next?.pointee {
            guard exchangers.count < limits.records else { return .failed(.tooLarge) }
            let host = record.host.map { String(cString: $0) } ?? ""
            exchangers.append(
                MailExchanger(
                    preference: Int(record.priority),
                    host: host.isEmpty ? "" : DomainName.normal(host) ?? "?"
                )
            )
            next = record.next
        }
        return exchangers.isEmpty ? .nothing : .exchangers(exchangers)
    }

    func ipv4(_ limits: CaresResolver.Limits) -> DNSAnswer {
        addresses(ares_addrttl(), limits, cares_parse_a)
    }

    func ipv6(_ limits: CaresResolver.Limits) -> DNSAnswer {
        addresses(ares_addr6ttl(), limits, cares_parse_aaaa)
    }

    /// `Record` begins with its address, whose length says which one it is.
    private func addresses<Record>(
        _ empty: Record,
        _ limits: CaresResolver.Limits,
        _ parse: (
            UnsafePointer<UInt8>?, Int32, UnsafeMutablePointer<Record>?,
            UnsafeMutablePointer<Int32>?
        ) -> Int32
    ) -> DNSAnswer {
        var records = [Record](repeating: empty, count: limits.records + 1)
        var count = Int32(records.count)
        let status = parse(bytes, length, &records, &count)
        guard status == ARES_SUCCESS else { return Self.unread(status) }
        guard count <= limits.records else { return .failed(.tooLarge) }
        let size = Record.self == ares_addrttl.self ? 4 : 16
        let addresses = records.prefix(Int(count)).compactMap { record in
            withUnsafeBytes(of: record) { IPAddress(bytes: Array($0.prefix(size))) }
        }
        return addresses.isEmpty ? .nothing : .addresses(addresses)
    }

    func names(of address: IPAddress, _ limits: CaresResolver.Limits) -> DNSAnswer {
        var host: UnsafeMutableRawPointer?
        let status = cares_parse_ptr(
            bytes,
            length,
            address.bytes,
            Int32(address.bytes.count),
            &host
        )
        defer { cares_free_names(host) }
        guard status == ARES_SUCCESS else { return Self.unread(status) }
        var names: [String] = []
        var next = cares_names(host)
        while let name = next?.pointee {
            guard names.count < limits.records else { return .failed(.tooLarge) }
            names.append(String(cString: name))
            next = next?.successor()
        }
        return names.isEmpty ? .nothing : .names(names)
    }

    /// A reply that c-ares cannot read has a damaged name or field.
    private static func unread(_ status: Int32) -> DNSAnswer {
        switch status {
        case ARES_ENODATA: .nothing
        case ARES_EBADNAME: .failed(.unreadable)
        default: DNSAnswer(status: status)
        }
    }
}
