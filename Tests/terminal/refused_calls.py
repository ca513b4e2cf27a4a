"""Makes the system refuse calls to a program and to what it starts, as some file systems do.

A seccomp filter does so for static programs, too, and needs no privilege:
https://www.kernel.org/doc/html/latest/userspace-api/seccomp_filter.html
"""

import ctypes
import platform
import struct

#: The numbers of the calls, by machine.
CALLS = {
    "x86_64": {"mknod": (133, 259), "link": (86, 265), "flock": (73,), "pwrite64": (18,),
        "mmap": (9,)},
    "aarch64": {"mknod": (33,), "link": (37,), "flock": (32,), "pwrite64": (68,), "mmap": (222,)},
}.get(platform.machine())
PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, MODE_FILTER = 38, 22, 2
LOAD, JUMP_IF_EQUAL, JUMP_IF_ANY_BIT, RETURN = 0x20, 0x15, 0x45, 0x06
#: Where the filter finds the low half of a call's fourth argument: mmap's flags.
FOURTH_ARGUMENT, MAP_SHARED = 16 + 3 * 8, 1
ALLOW, ERRNO = 0x7FFF0000, 0x00050000


class Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_void_p)]


def refusing(call, errno):
    """A function for `preexec_fn` of subprocess. Of mmap, only shared memory is refused."""
    numbers = CALLS[call]
    steps = [(LOAD, 0, 0, 0)]
    for index, number in enumerate(numbers):
        steps.append((JUMP_IF_EQUAL, len(numbers) - index, 0, number))
    steps.append((RETURN, 0, 0, ALLOW))
    if call == "mmap":
        steps += [
            (LOAD, 0, 0, FOURTH_ARGUMENT),
            (JUMP_IF_ANY_BIT, 1, 0, MAP_SHARED),
            (RETURN, 0, 0, ALLOW),
        ]
    steps.append((RETURN, 0, 0, ERRNO | errno))
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in steps))
    program = Program(len(steps), ctypes.addressof(code))
    libc = ctypes.CDLL(None, use_errno=True)

    def refuse():
        refused = (
            libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
            or libc.prctl(PR_SET_SECCOMP, MODE_FILTER, ctypes.byref(program), 0, 0)
        )
        if refused:
            raise OSError(ctypes.get_errno(), "seccomp")
    # The filter's bytes live as long as the function.
    refuse.code = code
    return refuse
