import Foundation
import Testing

@main
enum ProcessRunner {
    static func main() async {
        let arguments = CommandLine.arguments
        if arguments.count == 4, arguments[1] == DoorProcess.argument {
            await DoorProcess.run(as: arguments[2], in: arguments[3])
        }
        await Testing.__swiftPMEntryPoint() as Never
    }
}
