"""Commands of gdb for systems of giornata; `giornata debug` sources this file.

    giornata-threads              every thread: state, waits for what, since when, stack
    giornata-processes            every process: alive or not, restarts
    giornata-objects              mutexes, semaphores, mailboxes: owner, who waits
    giornata-backtrace THREAD     the calls of a thread, whether it runs or not
    giornata-in THREAD COMMAND    any command of gdb as if that thread ran
    giornata-dump FILE            what the machine holds, for `giornata debug --from FILE`

A thread is named as in the system file; where two processes have one of that name,
PROCESS/THREAD. What these commands know of the kernel's memory comes from the debug map
that the builder writes beside the image.
"""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from giornata_gdb import commands  # noqa: E402  (found by the line above)

commands.register()
