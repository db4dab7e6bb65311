"""A thread: how it stands, and where."""

import gdb

from .place import place_of
from .standing import standing_in


class Thread:
    """One record of the kernel, and what its words mean together."""

    def __init__(self, system, index, record):
        self.system, self.index, self.record = system, index, record
        self.process = record.follow("process", "Process")
        names = system.names["threads"]
        self.named = names[index] if index < len(names) else None
        self.is_current = record == system.current

    @property
    def name(self):
        return self.named["name"] if self.named else self._name_in_kernel()

    @property
    def full_name(self):
        return f"{self.process_name}/{self.name}"

    @property
    def process_name(self):
        return self.system.process_name(self.process["number"])

    @property
    def violations(self):
        """Violations of its jobs since boot."""
        task = self._place.follow("task", "Task")
        return task["violations"] if task else 0

    @property
    def _place(self):
        return self.record.follow("place", "Place")

    def _name_in_kernel(self):
        role = self._place["role"]
        if role & self.system.constants("role")["REAPER"]:
            return "reaper"
        # (of several harts each has one)
        if self.record["kind"] == self.system.constants("resumed")["IDLE"]:
            return "idle"
        return "microcode"

    # ---- how it stands

    def state(self):
        """A word, and what it is about: ("waits", "mutex door, owner arm")."""
        system, record = self.system, self.record
        life, lives = self.process["life"], system.constants("life")
        tenancy, tenancies = record["tenancy"], system.constants("tenancy")
        is_machine = self.named is None
        if not is_machine and life != lives["ALIVE"]:
            return "dead", "" if life == lives["DEAD"] else "its process ends or restarts"
        if self.is_current:
            return "running", "in the kernel" if self.is_in_kernel() else ""
        if tenancy == tenancies["ENDED"]:
            return "ended", "nobody has joined it"
        if not is_machine and tenancy == tenancies["NOBODY"]:
            return "none", "no thread lives here"
        if record.address in system.ready:
            wanted = record.follow("wants", "Object")
            return ("waits", self._about(wanted)) if wanted else ("ready", "")
        return self._waiting()

    def _waiting(self):
        """Of a thread that is not in the ready queue."""
        system, record = self.system, self.record
        state, states = record["state"], system.constants("state")
        waits, wants = record.follow("waits", "Object"), record.follow("wants", "Object")
        until = f" until {system.seconds(self.timeout()):.6f} s" if state & states["ARMED"] else ""
        if state & states["SLEEPS"]:
            return "sleeps", until.strip()
        # (who waits in the list of a condition has noted the mutex that it wants then)
        if waits and waits.address != system.kernel["no_list"]:
            return "waits", self._about(waits) + until
        if wants:
            return "waits", self._about(wants) + until
        line = self._line()
        if line is not None:
            return "waits", f"interrupt {line}" + until
        if until:
            return "waits", until.strip()
        tenancies = system.constants("tenancy")
        if record["tenancy"] == tenancies["TASK"]:
            return "idle", "no job"
        if record["tenancy"] == tenancies["UPCALL"]:
            return "idle", "no upcall"
        return "idle", ""

    def _about(self, wanted):
        """What an object is to who waits for it."""
        system, kinds = self.system, self.system.constants("kind")
        name, kind = system.object_name(wanted), wanted["kind"] & kinds["KIND"]
        owner = wanted.follow("owner", "Thread")
        whose = system.thread_at(owner).full_name if owner else None
        if kind == kinds["HAND"]:
            return f"a reply of {whose}"
        if name is None:
            return "the end of a thread or process"
        word = {kinds[word.upper()]: word for word in ("mutex", "semaphore", "condition", "mailbox")}
        about = f"{word.get(kind, 'object')} {name}"
        if whose and kind == kinds["MUTEX"]:
            return f"{about}, owner {whose}"
        if whose and kind == kinds["MAILBOX"] and self.record["wants"]:
            return f"{about}, server {whose}"
        return about

    def _line(self):
        kernel = self.system.kernel
        for number in range(kernel.count("lines")):
            line = kernel.follow("lines", "Line", number)
            if line and line["handler"] == self.record.address:
                known = self.system.names["interrupts"]
                names = [each["name"] for each in known if each["number"] == number]
                return " ".join([str(number), *(f"({name})" for name in names)])
        return None

    def timeout(self):
        """The tick at which its wait ends: it lies in two registers that are nobody's."""
        low, high = self.record.at("context.t", 0), self.record.at("context.t", 1)
        return (high & 0xFFFFFFFF) << 32 | low & 0xFFFFFFFF

    def since(self):
        """Since when it stands so, in seconds, as the trace ring tells; ("<", t): longer than
        since t, where the ring begins."""
        system, ring = self.system, self.system.ring
        begun = {"running": [ring.entered], "ready": [ring.left, ring.released]}
        told = begun.get(self.state()[0], [ring.left])
        times = [ticks[self.index] for ticks in told if self.index in ticks]
        if times:
            return "", system.seconds(max(times))
        if ring.oldest is None:
            return "", None
        return "" if ring.is_whole else "<", system.seconds(ring.oldest)

    def urgency(self):
        """A fixed priority, a deadline, or what is above or below them."""
        system, rank = self.system, self.record.follow("rank", "Rank")
        levels, level = system.constants("level"), rank["level"]
        if level == levels["REACTION"]:
            return "reaction"
        if level == system.kernel["band"] and self._has_deadline():
            return f"due {system.seconds(system.nearest(rank['deadline'])):.6f}"
        if level <= levels["LOWEST"]:
            return f"priority {levels['LOWEST'] - level}"
        return "stream" if level == levels["STREAM"] else "lowest"

    def _has_deadline(self):
        task = self.record["tenancy"] == self.system.constants("tenancy")["TASK"]
        return not task or self.record.address in self.system.ready or self.is_current

    # ---- where it stands

    def is_in_kernel(self):
        """Whether the hart serves the kernel; the thread that it runs is its caller."""
        return self.is_current and self.system.is_kernel(self.system.pc)

    def stack(self):
        """Bytes in use, the most that has been in use, and all. The most is what is not zero
        any more: stacks are zero when a process begins."""
        if self.named is None:
            return None
        whole = self.system.map["stacks"][self.index]
        pointer = self.stack_pointer()
        used = whole["top"] - pointer
        held = self.system.memory.read(whole["place"], whole["size"])
        most = len(held.lstrip(b"\0"))
        inside = 0 <= used <= whole["size"]
        return (used if inside else None), max(most, used if inside else 0), whole["size"]

    def stack_pointer(self):
        if self.is_current and not self.is_in_kernel():
            with standing_in(self):
                return int(gdb.newest_frame().read_register("sp")) & self.system.mask
        return self.record["context.sp"]

    def place(self):
        """Function and line, of the process's own code if the stack leads there."""
        if not self.record["context.pc"] and not self.is_current:
            return ""
        with standing_in(self):
            return place_of()
