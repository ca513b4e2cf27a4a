/// What becomes of the other operations of a lane when one of them is parked or quarantined, and so
/// waits for a person.
///
/// The app chooses for each lane. The choice is stored with the operation at the moment at which it
/// is parked, so that it holds for every process and until the operation is retried or deleted.
public enum LanePolicy: Hashable, Sendable {
    /// The next one goes on. If a person retries the parked one, it is the next to be attempted: it
    /// comes after operations that were inserted behind it and are delivered already.
    ///
    /// For lanes whose operations are of use without those before them.
    case skipAndPark
    /// All operations behind it wait until a person has retried or deleted it.
    ///
    /// For lanes whose operations build on those before them.
    case blockLane
}
