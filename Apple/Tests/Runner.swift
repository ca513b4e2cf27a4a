import Testing

@main
enum Runner {
    static func main() async { await Testing.__swiftPMEntryPoint() as Never }
}
