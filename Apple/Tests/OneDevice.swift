import Testing

/// The tests of one device's keychain, one after another.
@Suite("One device", .serialized)
enum OneDevice {}
