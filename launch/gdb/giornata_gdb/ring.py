"""The trace ring in memory: what happened last, as far back as it reaches."""

WORDS, BYTES = 4, 16
HALF, WHOLE = 1 << 31, 1 << 32


class Ring:
    """When threads were left last, entered last and released last."""

    def __init__(self, system, now):
        kernel, kinds = system.kernel, system.constants("record")
        self.left, self.entered, self.released = {}, {}, {}
        self.oldest, self.stop, self.tick = None, None, now
        written, size = kernel["trace.written"], kernel["trace.ring.length"] * BYTES
        self.is_whole = written <= size  # since boot, unless 2^32 bytes were written
        for time, head, second, _ in self._newest_first(system, kernel):
            kind, subject = head & 0xFF, head >> 16
            if kind == kinds["More"]:
                continue
            tick = self.oldest = self._extended(time)
            if kind == kinds["Stop"]:
                self.stop = tick
            if kind == kinds["Switch"]:
                self.left.setdefault(subject, tick)
                self.entered.setdefault(second >> 16, tick)
            elif kind == kinds["Release"]:
                for thread in self._members(system, subject, second):
                    self.released.setdefault(thread, tick)

    @staticmethod
    def _newest_first(system, kernel):
        written, capacity = kernel["trace.written"] // BYTES, kernel["trace.ring.length"]
        if not capacity:
            return
        held = system.memory.read(kernel["trace.ring.address"], capacity * BYTES)
        for back in range(1, min(written, capacity) + 1):
            start = (written - back) % capacity * BYTES
            record = held[start : start + BYTES]
            yield [int.from_bytes(record[at : at + 4], "little") for at in range(0, BYTES, 4)]

    def _extended(self, low):
        """The time with this low word that is nearest to that of the record behind it."""
        ahead = (low - self.tick + HALF) % WHOLE - HALF
        self.tick = max(0, self.tick + ahead)
        return self.tick

    @staticmethod
    def _members(system, first, word):
        run = system.constants("members")["RUN"]
        if word & run:
            return range(first, first + (word & 0xFFFF))
        return [first + index for index in range(31) if word >> index & 1]
