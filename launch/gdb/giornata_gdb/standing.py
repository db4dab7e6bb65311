"""A thread that does not run, seen as if it did."""

from contextlib import contextmanager

import gdb

# Where a context keeps each register: the record's field, and the element of an array.
CONTEXT = {"pc": ("pc", 0), "ra": ("ra", 0), "sp": ("sp", 0), "gp": ("gp", 0), "tp": ("tp", 0)}
CONTEXT.update({f"t{number}": ("t", number) for number in range(7)})
CONTEXT.update({f"a{number}": ("a", number) for number in range(8)})
CONTEXT.update({"fp" if number == 0 else f"s{number}": ("s", number) for number in range(12)})

USER = 0


@contextmanager
def standing_in(thread):
    """The hart has the registers of a thread that does not run and sees its memory, and
    then what it had before. Of a dump, gdb has all threads, and changes to it."""
    if not thread.system.is_live:
        with _selected(thread):
            yield
    elif thread.is_current and not thread.is_in_kernel():
        gdb.newest_frame().select()
        yield
    else:
        before = _registers(thread)
        try:
            _load(_context(thread))
            yield
        finally:
            _load(before)
            gdb.newest_frame().select()


@contextmanager
def _selected(thread):
    before = gdb.selected_thread()
    for each in gdb.selected_inferior().threads():
        if each.ptid[1] == thread.index + 1:
            each.switch()
    try:
        yield
    finally:
        before.switch()


def _registers(thread):
    frame = gdb.newest_frame()
    names = [*CONTEXT, *_of_the_space(thread)]
    return {name: int(frame.read_register(name)) & thread.system.mask for name in names}


def _context(thread):
    record = thread.record
    words = {name: record.at("context." + field, at) for name, (field, at) in CONTEXT.items()}
    if thread.is_current:
        # the kernel serves it: where it will go on is in no record yet
        words["pc"] = int(gdb.newest_frame().read_register("mepc")) & thread.system.mask
    space = {"satp": thread.process.at("space", 0), "priv": USER}
    return {**words, **{name: space[name] for name in _of_the_space(thread)}}


def _of_the_space(thread):
    """What decides which memory the hart sees."""
    return ["satp", "priv"] if thread.system.map["translated"] else ["priv"]


def _load(words):
    for name, word in words.items():
        # (with each register, gdb finds other frames)
        gdb.newest_frame().select()
        gdb.execute(f"set ${name} = {word:#x}", to_string=True)
