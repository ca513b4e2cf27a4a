"""A server of desktop notifications: prints the calls that it gets, and makes the signals that it reads."""
import json
import os
import sys

import dbus
import dbus.mainloop.glib
import dbus.service
from gi.repository import GLib

NAME, PATH = "org.freedesktop.Notifications", "/org/freedesktop/Notifications"


def serve(mode):
    """Serves until its end: with `buttons`, without them (`plain`), with an error for every notification
    (`refusing`), or notifications of programs that are not ours (`any`)."""
    class Server(dbus.service.Object):
        number = 0

        @dbus.service.method(NAME, in_signature="", out_signature="as")
        def GetCapabilities(self):
            return ["body", *(["actions"] if mode != "plain" else [])]

        @dbus.service.method(NAME, in_signature="susssasa{sv}i", out_signature="u")
        def Notify(self, app, replaced, icon, title, text, actions, hints, lifetime):
            if mode == "refusing":
                print(json.dumps(["Refused"]), flush=True)
                raise dbus.DBusException("not now")
            self.number += 0 if replaced else 1
            number = int(replaced) or self.number
            pairs = [str(action) for action in actions]
            buttons = dict(zip(pairs[::2], pairs[1::2]))
            told = [number, int(replaced), f"{title}: {text}", buttons, int(hints["urgency"])]
            assert mode == "any" or (
                app == title and not icon and lifetime == -1 and set(hints) == {"urgency"})
            print(json.dumps(["Notify", *told]), flush=True)
            return dbus.UInt32(number)

        @dbus.service.method(NAME, in_signature="u", out_signature="")
        def CloseNotification(self, number):
            print(json.dumps(["Close", int(number)]), flush=True)
            self.NotificationClosed(number, 3)

        @dbus.service.signal(NAME, signature="us")
        def ActionInvoked(self, number, button):
            pass

        @dbus.service.signal(NAME, signature="uu")
        def NotificationClosed(self, number, reason):
            pass

    dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
    bus = dbus.SessionBus()
    server = Server(bus, PATH)
    # Only what is served has the name.
    name = dbus.service.BusName(NAME, bus)

    unread = b""
    loop = GLib.MainLoop()

    def told(*_):
        nonlocal unread
        read = os.read(0, 4096)
        if not read:
            # Who has started this has ended.
            loop.quit()
            return False
        *lines, unread = (unread + read).split(b"\n")
        for line in lines:
            signal, number, value = json.loads(line)
            getattr(server, signal)(
                dbus.UInt32(number), dbus.UInt32(value) if isinstance(value, int) else value)
        return True

    GLib.io_add_watch(0, GLib.IO_IN | GLib.IO_HUP, told)
    loop.run()
    del name


if __name__ == "__main__":
    serve(sys.argv[1])
