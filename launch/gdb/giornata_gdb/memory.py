"""Memory of the machine, and the kernel's records in it."""

from contextlib import contextmanager

import gdb

PAGE = 4096


class Memory:
    """Physical memory, whatever the hart translates just now. What was read is kept until
    `forget`, so that a table is of one moment and cheap."""

    def __init__(self, is_live):
        self.is_live = is_live
        self.pages = {}

    def forget(self):
        self.pages.clear()

    def read(self, address, length):
        first, last = address // PAGE, (address + max(length, 1) - 1) // PAGE
        missing = [page for page in range(first, last + 1) if page not in self.pages]
        if missing:
            with self.physical():
                for page in missing:
                    self.pages[page] = self._page(page)
        held = b"".join(self.pages[page] for page in range(first, last + 1))
        start = address - first * PAGE
        taken = held[start : start + length]
        if len(taken) < length:
            raise gdb.GdbError(f"there is no memory at {address + len(taken):#x}")
        return taken

    def number(self, address, length):
        return int.from_bytes(self.read(address, length), "little")

    def clock(self, address):
        """A device is read by its words, never by pages."""
        with self.physical():
            read = gdb.selected_inferior().read_memory(address, 8)
        return int.from_bytes(read.tobytes(), "little")

    @contextmanager
    def physical(self):
        """QEMU takes addresses for physical ones meanwhile. A dump has them all."""
        if self.is_live:
            gdb.execute("maintenance packet Qqemu.PhyMemMode:1", to_string=True)
        try:
            yield
        finally:
            if self.is_live:
                gdb.execute("maintenance packet Qqemu.PhyMemMode:0", to_string=True)

    @staticmethod
    def _page(page):
        inferior = gdb.selected_inferior()
        try:
            return inferior.read_memory(page * PAGE, PAGE).tobytes()
        except gdb.MemoryError:
            return _front(inferior, page * PAGE)


def _front(inferior, address):
    """A dump may end within a page: the part of it that is there."""
    have, lack = 0, PAGE
    while lack - have > 1:
        middle = (have + lack) // 2
        try:
            inferior.read_memory(address, middle)
            have = middle
        except gdb.MemoryError:
            lack = middle
    return inferior.read_memory(address, have).tobytes() if have else b""


class Record:
    """A record of the kernel: `record["context.pc"]`, `record.at("context.s", 3)`."""

    def __init__(self, system, kind, address):
        self.system, self.kind, self.address = system, kind, address
        self.fields = system.map["records"][kind]["fields"]

    def __getitem__(self, path):
        return self.at(path, 0)

    def __eq__(self, other):
        return isinstance(other, Record) and self.address == other.address

    def __hash__(self):
        return hash(self.address)

    def at(self, path, index):
        """An element of an array."""
        offset, length, _ = self.fields[path]
        return self.system.memory.number(self.address + offset + index * length, length)

    def count(self, path):
        return self.fields[path][2]

    def offset(self, path):
        """Of a field, or of a record inside this one."""
        inside = [self.fields[name][0] for name in self.fields if name.startswith(path + ".")]
        return self.fields[path][0] if path in self.fields else min(inside)

    def follow(self, path, kind, index=0):
        """The record to which a field refers; None if it refers to none."""
        address = self.at(path, index)
        return Record(self.system, kind, address) if address else None

    def slice(self, path, kind):
        """The records of a slice."""
        size = self.system.map["records"][kind]["size"]
        first, count = self[path + ".address"], self[path + ".length"]
        return [Record(self.system, kind, first + size * index) for index in range(count)]
