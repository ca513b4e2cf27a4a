/// What becomes of the two values of a setting: that on a device, and that in the shared records with the
/// changes of this device.
///
/// Where both were last equal, they had the *basis*, and a value that is not the basis was changed since:
///
/// | on the device | in the records | then |
/// |---|---|---|
/// | equal | equal | ``agree`` |
/// | as the basis | another | ``take`` |
/// | another | as the basis | ``tell`` |
/// | another | another | ``ask`` for a setting that is written by hand; else ``tell``, as the device's value is the later one |
///
/// Without a basis the account is new to the device: its default is no change, and a setting that nobody
/// writes by hand is taken from an account that has it.
///
/// Records without the setting say nothing: nobody has ever set it, or its value is still to be read. They take
/// what was changed on the device; else the device keeps its value.
///
/// All three values are of one moment. A basis that is newer than the value in the records makes an older
/// value look like a change of another device.
public enum SettingMeeting: Hashable, Sendable {
    /// The values are equal, and are the basis.
    case agree
    /// The device takes the value in the records, which becomes the basis.
    case take
    /// The records take the device's value, which becomes the basis.
    case tell
    /// A person chooses. Nothing changes before that.
    case ask

    /// Decides.
    ///
    /// - Parameters:
    ///   - setting: The setting.
    ///   - mine: The value on the device; empty for the default.
    ///   - shared: The value in the records; empty for one that was reset, `nil` where the records do not
    ///     have the setting.
    ///   - basis: The value at which both were last equal; `nil` before they ever were.
    public init(of setting: SharedSetting, mine: [UInt8], shared: [UInt8]?, basis: [UInt8]?) {
        let former = basis ?? []
        let shared = shared ?? former
        let isNew = basis == nil && !shared.isEmpty
        self =
            if mine == shared {
                .agree
            } else if mine == former || isNew && !setting.isWrittenByHand {
                .take
            } else if shared != former, setting.isWrittenByHand {
                .ask
            } else {
                .tell
            }
    }
}
