/// The numbered steps that bring the tables of a relay's database to the form of this build.
package protocol MigratedStore: Sendable {
    /// The steps that the database has not seen. Changes nothing.
    func plan() async throws(MigrationError) -> MigrationPlan

    /// Runs the steps that the database has not seen.
    func migrate() async throws(MigrationError)
}

/// What is to be done to the tables of a database.
package enum MigrationPlan: Hashable, Sendable {
    /// These steps are missing, in this order; none in a database of this build.
    case steps([PendingMigration])
    /// A later build has run further steps. This build changes nothing, and can serve.
    case ofLaterBuild
}

/// A step that a database has not seen.
package struct PendingMigration: Hashable, Sendable {
    /// The part of the database whose steps have numbers of their own.
    package let component: String
    /// The step's number, counted from 1.
    package let number: Int
    /// The number of all steps of the component.
    package let count: Int
    /// What the step is for.
    package let about: String
    /// The statements in SQL; none for a step that is a program.
    package let statements: [String]

    package init(
        component: String,
        number: Int,
        count: Int,
        about: String,
        statements: [String] = []
    ) {
        self.component = component
        self.number = number
        self.count = count
        self.about = about
        self.statements = statements
    }
}

/// The reason why the steps of a database were not found, or not run.
package enum MigrationError: Error, Hashable, Sendable {
    /// A relay, or another command, uses the folder. Nothing was changed.
    case inUse
    /// The folder cannot be locked; with the system's error number. Nothing was changed.
    case folder(code: Int32)
    /// The role may not change the tables. Nothing was changed.
    case notAllowed
    /// The database cannot be used. The steps before the failure stay; none has run in part.
    case store(OperatorError)
}
