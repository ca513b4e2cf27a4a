public import MemoKit

extension Diagnosis {
    /// Reads the state of a device whose agent is a program. Makes an empty folder and database where
    /// there is none, tries what storing needs, calls the agent where memos are queued, and changes
    /// nothing else.
    public init(of folder: DataFolder) {
        self.init(
            of: folder,
            hasCourier: AgentProgram.located() != nil,
            opening: { () throws(MemoError) in try MemoBox(folder: folder) },
            calling: { $0.summonAgentForRest() }
        )
    }
}
