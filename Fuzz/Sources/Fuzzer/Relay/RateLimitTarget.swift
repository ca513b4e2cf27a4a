import RawStructuredFieldValues
import WireCore

/// The `RateLimit` field as the device reads it, against a reader of RFC 9651 that is not ours.
///
/// The device's reader is the more lenient one: it tells the end of what it does not use, and no
/// more. So the two are compared where the other one reads the field.
func fuzzRateLimit(_ input: [UInt8]) {
    let product = RateLimit(input)
    if let product {
        agree("rest", product.remaining >= 0, true)
        agree("time", (product.reset?.count ?? 0) >= 0, true)
    }
    var parser = StructuredFieldValueParser(input)
    guard let list = try? parser.parseListFieldValue() else { return }
    let model = input.count > 2048 ? nil : tightest(of: list)
    agree("whether it tells a limit", product != nil, model != nil)
    agree("least rest", product?.remaining, model?.rest)
    agree("its time", product?.reset?.count, model?.time.map { $0 * 1000 })
}

private func tightest(of list: [ItemOrInnerList]) -> (rest: Int, time: Int64?)? {
    var limits: [(rest: Int64, time: Int64?)] = []
    for entry in list {
        guard case .item(let item) = entry, case .string = item.rfc9651BareItem,
            case .integer(let rest)? = item.rfc9651Parameters["r"], rest >= 0
        else { return nil }
        switch item.rfc9651Parameters["t"] {
        case nil: limits.append((rest, nil))
        case .integer(let time)? where time >= 0: limits.append((rest, time))
        default: return nil
        }
    }
    guard let least = limits.map(\.rest).min() else { return nil }
    let time = limits.filter { $0.rest == least }.compactMap(\.time).max()
    let most = Int64(Int32.max)
    return (Int(min(least, most)), time.map { min($0, most) })
}
