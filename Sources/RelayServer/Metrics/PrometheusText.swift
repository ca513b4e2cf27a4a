/// A page in the text format that Prometheus reads, version 0.0.4
/// (<https://prometheus.io/docs/instrumenting/exposition_formats/>). Pure.
struct PrometheusText: Sendable {
    /// The kind of a family of samples.
    enum Kind: String {
        case counter
        case gauge
        case histogram
    }

    static let mediaType = "text/plain; version=0.0.4; charset=utf-8"

    private(set) var text = ""

    /// Begins a family. Its samples follow.
    mutating func family(_ name: String, _ kind: Kind, _ help: String) {
        text += "# HELP \(name) \(Self.escaped(help))\n# TYPE \(name) \(kind.rawValue)\n"
    }

    mutating func sample(_ name: String, _ value: some BinaryInteger) {
        write(name, [:], "\(value)")
    }

    mutating func sample(
        _ name: String,
        _ labels: KeyValuePairs<String, String>,
        _ value: some BinaryInteger
    ) {
        write(name, labels, "\(value)")
    }

    /// The samples of a family of the kind histogram.
    mutating func samples(_ name: String, _ histogram: DurationHistogram) {
        for (bound, count) in zip(DurationHistogram.bounds, histogram.cumulative) {
            sample(name + "_bucket", ["le": "\(bound / .seconds(1))"], count)
        }
        sample(name + "_bucket", ["le": "+Inf"], histogram.count)
        write(name + "_sum", [:], "\(histogram.sum / .seconds(1))")
        sample(name + "_count", histogram.count)
    }

    private mutating func write(
        _ name: String,
        _ labels: KeyValuePairs<String, String>,
        _ value: String
    ) {
        let named = labels.map { "\($0.key)=\"\(Self.escaped($0.value, quote: true))\"" }
        text += name + (named.isEmpty ? "" : "{\(named.joined(separator: ","))}") + " \(value)\n"
    }

    private static func escaped(_ text: String, quote: Bool = false) -> String {
        text.reduce(into: "") { result, character in
            switch character {
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\"" where quote: result += "\\\""
            default: result.append(character)
            }
        }
    }
}

/// The numbers of durations up to each of a few bounds.
struct DurationHistogram: Hashable, Sendable {
    static let bounds: [Duration] = [1, 2, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000]
        .map { .milliseconds($0) }

    private var counts = [Int](repeating: 0, count: bounds.count)
    private(set) var count = 0
    private(set) var sum = Duration.zero

    mutating func note(_ duration: Duration) {
        count += 1
        sum += duration
        if let index = Self.bounds.firstIndex(where: { duration <= $0 }) { counts[index] += 1 }
    }

    /// For each bound the number of durations up to it.
    var cumulative: [Int] {
        var total = 0
        return counts.map { count in
            total += count
            return total
        }
    }
}
