"""The commands, as one types them."""

import json
import os
import socket

import gdb

from .standing import standing_in
from .system import System
from .table import table

SESSION = None
# Seconds that QEMU may take for an answer.
PATIENCE = 120


def session():
    if SESSION is None:
        raise gdb.GdbError("`giornata debug` begins a session")
    return SESSION


class Session:
    """What `giornata debug` says of the machine, or of the dump."""

    def __init__(self, about):
        self.about = about
        with open(about["map"], encoding="utf-8") as file:
            self.map = self.read_map(json.load(file))
        self.system = System(self.map, about.get("hart"))

    @staticmethod
    def read_map(debug_map):
        for record in debug_map["records"].values():
            record["fields"] = {name: tuple(field) for name, field in record["fields"].items()}
        return debug_map

    def load_symbols(self):
        """Kernel and processes have different addresses, so all symbols go together. The
        calling convention is that of the first file: processes may use floating point."""
        first, *others = [os.path.join(self.about["folder"], name) for name in self._files()]
        gdb.execute(f'file "{first}"', to_string=True)
        for other in others:
            gdb.execute(f'add-symbol-file "{other}"', to_string=True)
        gdb.execute(f'directory "{self.map["sources"]}"', to_string=True)
        for before, after in self.about["sources"]:
            gdb.execute(f'set substitute-path "{before}" "{after}"')

    def _files(self):
        kernel, *processes = self.map["symbols"]
        return [*processes, kernel]

    def connect(self):
        # an answer that is late on a loaded host must not be asked for twice
        gdb.execute(f"set remotetimeout {PATIENCE}")
        if "core" in self.about:
            gdb.execute(f"core-file {self.about['core']}", to_string=True)
        else:
            gdb.execute(f"target remote {self.about['socket']}", to_string=True)

    def dump_at_the_end(self, _):
        try:
            gdb.write(self.ask("dump " + self.about["dump"]) + "\n")
        except (gdb.GdbError, OSError) as error:
            gdb.write(f"no dump was written: {error}\n", gdb.STDERR)

    def ask(self, request):
        """Asks `giornata debug`, which talks to QEMU."""
        if "control" not in self.about:
            raise gdb.GdbError("a dump is all there is of this machine")
        with socket.socket(socket.AF_UNIX) as line:
            line.connect(self.about["control"])
            line.sendall((request + "\n").encode())
            line.shutdown(socket.SHUT_WR)
            answer = b"".join(iter(lambda: line.recv(4096), b"")).decode().strip()
        if answer.startswith("error: "):
            raise gdb.GdbError(answer.removeprefix("error: "))
        return answer


class Begin(gdb.Command):
    """For `giornata debug`: takes symbols and machine from a file that it wrote."""

    def __init__(self):
        super().__init__("giornata-begin", gdb.COMMAND_SUPPORT, gdb.COMPLETE_FILENAME)

    def invoke(self, argument, from_tty):
        global SESSION
        for setting in ("confirm off", "trust-readonly-sections on", "print thread-events off"):
            gdb.execute(f"set {setting}")
        with open(argument, encoding="utf-8") as file:
            SESSION = Session(json.load(file))
        SESSION.load_symbols()
        SESSION.connect()
        if "dump" in SESSION.about:
            gdb.events.gdb_exiting.connect(SESSION.dump_at_the_end)
        for line in SESSION.about["hello"]:
            gdb.write(line + "\n")


class Threads(gdb.Command):
    """Every thread: state, what it waits for, since when, urgency, stack, where it is.

    since     in virtual seconds, from the trace ring; "<" where that does not reach so far
    stack     bytes in use / most so far / all; the most is what is not zero any more
    violations  of its jobs since boot
    With the argument `all`: the kernel's own threads, too."""

    HEADS = ("thread", "state", "for", "since", "urgency", "stack", "violations", "where")

    def __init__(self):
        super().__init__("giornata-threads", gdb.COMMAND_STATUS)

    def invoke(self, argument, from_tty):
        system = session().system.look()
        threads = [thread for thread in system.threads if thread.named or argument == "all"]
        show(self.HEADS, [self.row(system, thread) for thread in threads])
        gdb.write(clock_line(system))

    @staticmethod
    def row(system, thread):
        state, about = thread.state()
        sign, since = thread.since()
        stack = thread.stack()
        lives = state not in ("none", "dead")
        return (
            thread.full_name,
            state,
            about,
            f"{sign}{since:.6f}" if lives and since is not None else "-",
            thread.urgency(),
            "/".join("-" if part is None else str(part) for part in stack) if stack else "-",
            thread.violations,
            thread.place() if lives else "",
        )


class Processes(gdb.Command):
    """Every process: whether it is alive, and how often it was restarted."""

    HEADS = ("process", "state", "restarts", "threads", "heap")

    def __init__(self):
        super().__init__("giornata-processes", gdb.COMMAND_STATUS)

    def invoke(self, argument, from_tty):
        system = session().system.look()
        names = system.names["processes"]
        show(self.HEADS, [self.row(system, *each) for each in zip(names, system.processes)])
        gdb.write(clock_line(system))

    @staticmethod
    def row(system, named, process):
        lives = {word: name.lower() for name, word in system.constants("life").items()}
        life = lives.get(process["life"], "?")
        state = life if life in ("alive", "dead") else f"ends or restarts ({life})"
        heap = f"{process['allocated']}/{named['heap']}" if named.get("heap") else "-"
        return named["name"], state, process["generation"], process["threads.length"], heap


class Objects(gdb.Command):
    """Mutexes, semaphores, conditions and mailboxes: owner, and who waits."""

    HEADS = ("object", "kind", "state", "waiting")

    def __init__(self):
        super().__init__("giornata-objects", gdb.COMMAND_STATUS)

    def invoke(self, argument, from_tty):
        system = session().system.look()
        names = system.names.get("objects", [])
        show(self.HEADS, [self.row(system, *each) for each in zip(names, system.objects)])

    def row(self, system, named, record):
        return named["name"], named["kind"], self.state(system, record), self.waiting(system, record)

    @staticmethod
    def state(system, record):
        kinds = system.constants("kind")
        kind, owner = record["kind"] & kinds["KIND"], record.follow("owner", "Thread")
        if kind == kinds["FREE"]:
            return "not there"
        if kind == kinds["SEMAPHORE"]:
            return f"{record['count']} of {record['most']}"
        if kind == kinds["MUTEX"] and record["kind"] & kinds["ABANDONED"]:
            return "its owner has died"
        if kind == kinds["MUTEX"]:
            return f"owner {system.thread_at(owner).full_name}" if owner else "free"
        if kind == kinds["MAILBOX"]:
            return "holds messages" if record["first"] else "empty"
        return ""

    @staticmethod
    def waiting(system, record):
        """Those in its list, and those that keep their place in the ready queue meanwhile."""
        waits = [thread for thread in system.threads if thread.record["waits"] == record.address]
        wants = [thread for thread in system.threads if thread.record["wants"] == record.address]
        return ", ".join(thread.full_name for thread in [*waits, *wants])


class Backtrace(gdb.Command):
    """giornata-backtrace THREAD [ARGUMENTS OF bt]: the calls of a thread that need not run."""

    def __init__(self):
        super().__init__("giornata-backtrace", gdb.COMMAND_STACK)

    def invoke(self, argument, from_tty):
        name, _, rest = argument.partition(" ")
        perform(name, f"backtrace {rest}")

    def complete(self, text, word):
        return complete(word)


class In(gdb.Command):
    """giornata-in THREAD COMMAND: a command as if that thread ran, such as `info locals`.

    COMMAND may be several, with `;` between: giornata-in steer up ; info locals"""

    def __init__(self):
        super().__init__("giornata-in", gdb.COMMAND_STACK)

    def invoke(self, argument, from_tty):
        name, _, rest = argument.partition(" ")
        perform(name, rest)

    def complete(self, text, word):
        return complete(word)


class Dump(gdb.Command):
    """giornata-dump FILE: what the machine holds, for `giornata debug --from FILE`."""

    def __init__(self):
        super().__init__("giornata-dump", gdb.COMMAND_DATA, gdb.COMPLETE_FILENAME)

    def invoke(self, argument, from_tty):
        if not argument:
            raise gdb.GdbError("giornata-dump FILE: name a file to write")
        gdb.write(session().ask("dump " + os.path.abspath(os.path.expanduser(argument))) + "\n")


def perform(name, commands):
    if not name:
        raise gdb.GdbError("name a thread: `giornata-threads` lists them")
    thread = session().system.look().thread(name)
    with standing_in(thread):
        for command in commands.split(" ; "):
            gdb.execute(command)


def complete(word):
    names = session().map["names"]
    process = [each["name"] for each in names["processes"]]
    full = [f"{process[each['process']]}/{each['name']}" for each in names["threads"]]
    plain = [each["name"] for each in names["threads"]]
    return [name for name in [*plain, *full] if name.startswith(word)]


def clock_line(system):
    now, oldest = system.seconds(system.now), system.ring.oldest
    reach = f"; the trace ring reaches back to {system.seconds(oldest):.6f} s" if oldest else ""
    return f"at {now:.6f} s{reach}\n"


def show(heads, rows):
    for line in table(heads, rows):
        gdb.write(line + "\n")


def register():
    for command in (Begin, Threads, Processes, Objects, Backtrace, In, Dump):
        command()
