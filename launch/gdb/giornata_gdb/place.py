"""Where a thread stands, in words of the source."""

import os

import gdb

# Frames that are looked at: a call into the kernel is a few below a process's own code.
DEEPEST = 8
# Folders of a runtime: what lies there is on the way into the kernel.
RUNTIME = (os.path.join("user", "rt") + os.sep, os.path.join("user", "c") + os.sep, "/rustc/")


def place_of():
    """`function file:line` of the innermost frame that is a process's own code, else of
    the innermost of all."""
    frame = gdb.newest_frame()
    first = described(frame)
    for _ in range(DEEPEST):
        if _is_own(frame):
            return described(frame)
        try:
            frame = frame.older()
        except gdb.error:
            break
        if frame is None:
            break
    return first


def described(frame):
    symbol, line = frame.function(), frame.find_sal()
    name = symbol.print_name if symbol else frame.name()
    if line.symtab and line.line:
        return f"{name} {os.path.basename(line.symtab.filename)}:{line.line}"
    return name or f"{frame.pc():#x}"


def _is_own(frame):
    symtab = frame.find_sal().symtab
    return symtab is not None and not any(part in symtab.fullname() for part in RUNTIME)
