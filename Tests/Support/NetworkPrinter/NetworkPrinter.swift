import Connectivity
import ConnectivityCore
import LibC

/// Prints the state of the network, one line each, for tests in a network namespace.
@main
enum NetworkPrinter {
    static func main() async {
        for await state in NetworkMonitor() {
            let word = state.isConnected ? "connected" : "disconnected"
            print(word, state.connectionType, state.arrivals)
            fflush(nil)
        }
    }
}
