/// The module is a library to its host: `main` does nothing.
@main struct CoreVectors {
    static func main() {}
}
