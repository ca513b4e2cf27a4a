/// What ReSwift does: every change is told to every subscriber, each of which compares its part of
/// the old and the new state and acts if it differs.
///
/// Written for this benchmark, and lighter than the model: no actions, no middleware, an array of
/// subscribers instead of a set.
final class BroadcastStore<State> {
    private var state: State
    private var subscribers: [(State, State) -> Void] = []

    init(_ state: State) {
        self.state = state
    }

    func subscribe<Part: Equatable>(
        _ part: @escaping (State) -> Part,
        _ act: @escaping (Part) -> Void
    ) {
        subscribers.append { old, new in
            let value = part(new)
            if value != part(old) { act(value) }
        }
    }

    func dispatch(_ change: (inout State) -> Void) {
        let old = state
        change(&state)
        for tell in subscribers { tell(old, state) }
    }
}
