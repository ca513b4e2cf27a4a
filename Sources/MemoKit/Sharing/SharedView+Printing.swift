package import MemoTexts
package import WireCore

// What the commands print of a question.
extension SharedView.Question {
    /// The name of the setting, for a person.
    package var title: AppText { setting == "subject" ? .subjectTemplate : .signature }

    /// What `--json` has of the question.
    package var printed: JSON {
        .object([
            ("setting", .string(setting)), ("mine", .string(mine)), ("theirs", .string(theirs)),
        ])
    }
}
