/// A lane's rule for the case that one of its operations is parked or quarantined, and so waits for
/// a person.
///
/// The app chooses for each lane. The choice is stored with the operation when the operation is
/// parked. It therefore holds for every process, until a person retries or deletes the operation.
public enum LanePolicy: Hashable, Sendable {
    /// The lane continues with the next operation. If a person retries the parked operation, it is
    /// the next to be attempted. The other side then receives it after operations that were
    /// inserted behind it and are already delivered.
    ///
    /// For lanes whose operations are of use without those before them.
    case skipAndPark
    /// All operations behind the parked operation wait until a person retries or deletes it.
    ///
    /// For lanes whose operations build on those before them.
    case blockLane
}
