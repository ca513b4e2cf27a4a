import CLibFuzzer

/// Hands one target to libFuzzer, which makes inputs for it until it fails or time is up.
///
/// `Fuzzer --target=NAME` and then libFuzzer's own arguments: https://llvm.org/docs/LibFuzzer.html.
@main
enum Fuzzer {
    static func main() {
        var count = CommandLine.argc
        // libFuzzer ignores arguments that begin with two hyphens.
        var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? =
            CommandLine.unsafeArgv
        _ = LLVMFuzzerRunDriver(&count, &arguments) { start, count in
            chosen.run(Array(UnsafeBufferPointer(start: start, count: count)))
            return 0
        }
    }
}

private let chosen: FuzzTarget = {
    let option = "--target="
    let name = CommandLine.arguments.last { $0.hasPrefix(option) }?.dropFirst(option.count)
    guard let target = name.flatMap({ FuzzTarget(rawValue: String($0)) }) else {
        let names = FuzzTarget.allCases.map(\.rawValue).joined(separator: ", ")
        fatalError("Name what is to be fuzzed, --target=NAME, one of \(names).")
    }
    return target
}()
