/// The version of `memo`, `memo-agent`, `memo-relay` and the web app, which are released together.
public enum ProgramVersion {
    /// The version, such as `1.2.3` ([Semantic Versioning](https://semver.org)).
    public static var text: StaticString { "0.1.0" }
}
