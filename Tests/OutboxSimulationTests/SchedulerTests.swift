import OutboxCore
import OutboxTesting
import Synchronization
import Testing

@Suite("The simulated scheduler")
struct SchedulerTests {
    /// What happened, in order.
    private final class Log: Sendable {
        private let kept = Mutex<[String]>([])

        var lines: [String] { kept.withLock { $0 } }

        func add(_ line: String) { kept.withLock { $0.append(line) } }
    }

    @Test("time passes only while nothing is ready, and at once")
    func time() {
        let (scheduler, log) = (SimulatedScheduler(seed: 1), Log())
        scheduler.after(.seconds(86_400)) { log.add("event") }
        scheduler.after(Milliseconds(0)) {
            Task {
                await scheduler.sleep(.seconds(3600))
                log.add("slept")
            }
        }
        scheduler.run(until: .seconds(3600))
        #expect(log.lines == ["slept"] && scheduler.now == .seconds(3600))
        scheduler.run(until: .seconds(86_400))
        #expect(log.lines == ["slept", "event"] && scheduler.now == .seconds(86_400))
    }

    @Test("the seed chooses the order of what is ready at once, and always the same one")
    func order() {
        func order(_ seed: UInt64) -> [String] {
            let (scheduler, log) = (SimulatedScheduler(seed: seed), Log())
            for number in 0..<5 {
                scheduler.after(.seconds(1)) {
                    Task {
                        log.add("\(number)")
                        await Task.yield()
                        log.add("\(number) again")
                    }
                }
            }
            scheduler.run(until: .seconds(1))
            return log.lines
        }
        let orders = (1...20).map(order)
        #expect(orders.allSatisfy { $0.count == 10 })
        #expect(Set(orders).count > 10)
        #expect(orders == (1...20).map(order))
    }

    @Test("a call that does not wait is no step: how a compiler makes it decides nothing")
    func steps() {
        let (scheduler, log) = (SimulatedScheduler(seed: 5), Log())
        scheduler.after(Milliseconds(0)) {
            Task { log.add("\(await Self.sumWithoutWaiting(10))") }
        }
        scheduler.run(until: Milliseconds(0))
        #expect(log.lines == ["55"])
        #expect(scheduler.steps == 2, "what happens then, and the task that it makes")
    }

    @Test("a sleep ends when its task is cancelled, before or while it sleeps")
    func cancellation() {
        let (scheduler, log) = (SimulatedScheduler(seed: 2), Log())
        scheduler.after(Milliseconds(0)) {
            let sleeper = Task {
                await scheduler.sleep(.seconds(100))
                await scheduler.sleep(.seconds(100))
                log.add("\(scheduler.now.count)")
            }
            scheduler.after(.seconds(5)) { sleeper.cancel() }
        }
        scheduler.run(until: .seconds(1000))
        #expect(log.lines == ["5000"])
    }

    @Test("an event that is called off does not happen, nor does time pass for it")
    func calledOff() {
        let (scheduler, log) = (SimulatedScheduler(seed: 3), Log())
        scheduler.after(.seconds(9)) { log.add("called off") }.cancel()
        scheduler.run(until: .seconds(10))
        #expect(log.lines.isEmpty && scheduler.now == Milliseconds(0))
    }

    @Test("tasks of other threads go on as ever while a simulation runs")
    func others() async {
        let elsewhere = Task.detached { await Self.sum(1000) }
        let scheduler = SimulatedScheduler(seed: 4)
        let log = Log()
        scheduler.after(Milliseconds(0)) { Task { log.add("\(await Self.sum(10))") } }
        scheduler.run(until: Milliseconds(0))
        #expect(log.lines == ["55"])
        #expect(await elsewhere.value == 500_500)
    }

    @inline(never)
    private static func sumWithoutWaiting(_ count: Int) async -> Int {
        count == 0 ? 0 : count + (await sumWithoutWaiting(count - 1))
    }

    private static func sum(_ count: Int) async -> Int {
        var sum = 0
        for number in 1...count {
            await Task.yield()
            sum += number
        }
        return sum
    }
}
