import MemoDoors

/// The screen that the system makes for a share: all of it is in ``MemoDoors/ShareViewController``.
final class ShareController: ShareViewController {}
