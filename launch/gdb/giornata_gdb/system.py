"""A system in memory: its threads, processes and objects, by name."""

import gdb

from .memory import Memory, Record
from .ring import Ring
from .thread import Thread


class System:
    """A machine that is stopped, or the dump of one."""

    def __init__(self, debug_map, held=None):
        """`held`: of a dump, what the hart held in `mscratch` and `pc`."""
        self.map, self.names = debug_map, debug_map["names"]
        self.held, self.is_live = held, held is None
        self.memory = Memory(self.is_live)
        self.kernel = Record(self, "System", debug_map["kernel"])

    def constants(self, group):
        return self.map["constants"][group]

    def look(self):
        """Everything is as of now; refuses a machine that has not booted."""
        self.memory.forget()
        if not self.kernel["trace.written"]:
            raise gdb.GdbError("the system has not begun: `continue`, or stop it later")
        self.now = self._now()
        self.ring = Ring(self, self.now)
        if self.ring.stop is not None:
            # what the clock has counted since is nobody's
            self.now = self.ring.stop
        self.pc, self.current = self._hart("pc"), self._current()
        self.ready = self._ready()
        records = self.kernel.slice("threads", "Thread")
        self.threads = [Thread(self, index, record) for index, record in enumerate(records)]
        self.processes = self.kernel.slice("processes", "Process")
        self.objects = self.kernel.slice("objects", "Object")
        return self

    def thread(self, name):
        """The thread of a name; a refusal says which there are."""
        named = self.threads[: len(self.names["threads"])]
        found = [thread for thread in named if name in (thread.name, thread.full_name)]
        if len(found) == 1:
            return found[0]
        which = ", ".join(thread.full_name for thread in (found or named))
        problem = f"several threads are called {name}" if found else f"there is no thread {name}"
        raise gdb.GdbError(f"{problem}: {which}")

    def thread_at(self, record):
        size = self.map["records"]["Thread"]["size"]
        index = (record.address - self.kernel["threads.address"]) // size
        return self.threads[index]

    def process_name(self, number):
        processes = self.names["processes"]
        return processes[number]["name"] if number < len(processes) else "kernel"

    def object_name(self, record):
        """None: it is no object of the system file."""
        size = self.map["records"]["Object"]["size"]
        index, rest = divmod(record.address - self.kernel["objects.address"], size)
        objects = self.names.get("objects", [])
        if rest or not 0 <= index < len(objects):
            return None
        return objects[index]["name"]

    def seconds(self, ticks):
        return ticks / self.names["timer_hertz"]

    def nearest(self, low):
        """The instant with this low word that is nearest to now."""
        return self.now + ((low - self.now + (1 << 31)) % (1 << 32) - (1 << 31))

    @property
    def mask(self):
        return (1 << 8 * self.map["width"]) - 1

    def is_kernel(self, pc):
        return self.map["memory"][0] <= pc < self.map["kernel"]

    def _now(self):
        if self.map["clock"]:
            return self.memory.clock(self.map["clock"])
        return self.kernel["trace.since"]

    def _hart(self, register):
        if not self.is_live:
            return self.held[register]
        return int(gdb.newest_frame().read_register(register)) & self.mask

    def _current(self):
        """The record of the thread that the hart runs, or whose call it serves."""
        address = self._hart("mscratch")
        return Record(self, "Thread", address) if address else None

    def _ready(self):
        """Addresses of the threads in the ready queue: rank by rank, each a ring. Of tasks
        that are released together the ring is for good, and ready from its head to its
        last."""
        ready, in_ring = [], self.constants("state")["IN_RING"]
        rank = self.kernel.follow("top", "Rank")
        while rank:
            head = thread = rank.follow("head", "Thread")
            while thread:
                ready.append(thread.address)
                after = thread.follow("next", "Thread")
                wraps = thread["state"] & in_ring and after.address <= thread.address
                thread = None if wraps or after == head else after
            rank = rank.follow("below", "Rank")
        return ready
