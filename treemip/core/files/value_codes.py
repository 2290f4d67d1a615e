"""Which values an array holds: a hash table filled and asked by whole arrays."""

from __future__ import annotations

import numpy as np

from treemip.core.model.arrays import mixed_bits

_NEVER = np.uint64(0xFFFF_FFFF_FFFF_FFFF)  # a NaN, and NaN is refused before it comes here
_SAMPLE = 64  # rows that tell whether rows repeat
_MOST_TURNS = 32  # far beyond what a table that is three quarters free needs


class Distinct:
    """Numbers the different values of float64 arrays as they come, in one pass over each.

    A model of millions of coefficients has thousands of different ones, so turning each into
    text once needs each entry's number among the different values. Sorting alone would
    cost five times as much as this table. It is open addressing, vectorised: in turn k a value
    looks into the slot its k-th hash names, and stays when the slot holds it or is free for it.
    -0.0 is 0.0.
    """

    def __init__(self) -> None:
        self._bits = 16
        self._table = np.zeros(1 << self._bits, np.int32)  # number in each slot, 0 when free
        self._keys = np.full(1 << 14, _NEVER)  # bit pattern of each number; that of 0 is none's
        self._used = 1

    @property
    def values(self) -> np.ndarray:
        """The different values, float64; a value's code is its place here."""
        return self._keys[1 : self._used].view(np.float64)

    def codes(self, values: np.ndarray) -> np.ndarray:
        """The place of each value in `values`, int32, new values added at its end.

        `values`: float64 (n,) without NaN.
        """
        bits = (values + 0.0).view(np.uint64)
        found, missing = self._look(bits, 0)
        turn = 0
        while len(missing):
            left = bits[missing]
            self._claim(left, turn)
            here, still = self._look(left, turn)
            found[missing] = here
            missing = missing[still]
            turn += 1
            if self._used > len(self._table) // 4 or turn == _MOST_TURNS:
                self._grow()
                turn = 0
        return found - np.int32(1)

    def codes_of_rows(self, values: np.ndarray) -> np.ndarray:
        """As `codes` of `values` (rows, width), int32 (rows * width,).

        Rows of one point often hold the same numbers branch after branch; each such stretch is
        looked up once.
        """
        first = values[:_SAMPLE]
        if (first[1:] == first[:-1]).all(axis=1).sum() * 2 < len(first):
            return self.codes(values.ravel())
        fresh = np.ones(len(values), bool)
        np.any(values[1:] != values[:-1], axis=1, out=fresh[1:])
        own = self.codes(values[fresh].ravel()).reshape(-1, values.shape[1])
        return own.take(np.cumsum(fresh) - 1, axis=0).ravel()

    def _slots(self, bits: np.ndarray, turn: int) -> np.ndarray:
        # The top bits of an odd multiple. Later turns fold first, or near values that met once
        # would meet again, and add their constant, or 0.0 would be in slot 0 every time.
        odd = _multiplier(turn)
        folded = bits ^ (bits >> np.uint64(29)) ^ odd if turn else bits
        return ((folded * odd) >> np.uint64(64 - self._bits)).view(np.int64)

    def _look(self, bits: np.ndarray, turn: int) -> tuple[np.ndarray, np.ndarray]:
        """The content of each value's slot in this round; positions where it is another value's."""
        found = self._table.take(self._slots(bits, turn))
        return found, np.flatnonzero(self._keys.take(found) != bits)

    def _claim(self, bits: np.ndarray, turn: int) -> None:
        """Give free slots to values that hash there; of several, the one assigned last."""
        slots = self._slots(bits, turn)
        free = np.flatnonzero(self._table.take(slots) == 0)
        self._table[slots[free]] = free
        winners = free[self._table[slots[free]] == free]
        end = self._used + len(winners)
        while end > len(self._keys):
            self._keys = np.concatenate([self._keys, np.full(len(self._keys), _NEVER)])
        self._keys[self._used : end] = bits[winners]
        self._table[slots[winners]] = np.arange(self._used, end)
        self._used = end

    def _grow(self) -> None:
        self._bits += 2
        while self._used > 1 << self._bits - 4:
            self._bits += 2
        self._table = np.zeros(1 << self._bits, np.int32)
        codes = np.arange(1, self._used, dtype=np.int32)
        turn = 0
        while len(codes):
            slots = self._slots(self._keys[codes], turn)
            free = self._table[slots] == 0
            self._table[slots[free]] = codes[free]
            codes = codes[self._table[slots] != codes]
            turn += 1


def _multiplier(turn: int) -> np.uint64:
    """An odd 64-bit constant for each turn."""
    mixed = mixed_bits(np.zeros(1, np.uint64), np.full(1, turn + 1, np.uint64))
    return np.uint64(mixed[0] | np.uint64(1))
