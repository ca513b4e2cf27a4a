/// Walks every sequence of up to `depth` steps from `world` on.
///
/// - Parameters:
///   - perform: Takes a step; answers whether it was possible.
///   - check: Called with each world that was reached, the first one too.
/// - Returns: How many worlds were reached.
func walkEverySequence<World, Step: CaseIterable>(
    from world: World,
    depth: Int,
    _ perform: (Step, inout World) -> Bool,
    check: (World) -> Void
) -> Int {
    check(world)
    guard depth > 0 else { return 1 }
    var reached = 1
    for step in Step.allCases {
        var next = world
        guard perform(step, &next) else { continue }
        reached += walkEverySequence(from: next, depth: depth - 1, perform, check: check)
    }
    return reached
}
