import Foundation

/// A test's need that a machine may not meet: root, or a program.
package enum Requirement {
    /// Whether the condition of a test holds, for its trait `.enabled(if:)`.
    ///
    /// In continuous integration (`CI=true`) every condition holds: the test runs, and fails because
    /// of what is missing, since a test that nobody notices being skipped protects nothing.
    /// `Tests/required.py` is the same for the tests in Python.
    ///
    /// - Parameter isThere: Whether the machine has what the test needs.
    package static func isMet(_ isThere: Bool) -> Bool {
        isThere || ProcessInfo.processInfo.environment["CI"] == "true"
    }
}
