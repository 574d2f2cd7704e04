"""Heights of the items in order, with quick sums: where an item begins, and which item holds a row.

A Fenwick tree: changing a height, asking for an offset and finding a row all cost the logarithm of the number of
items, so a session of thousands of messages scrolls like one of ten.
"""

from collections.abc import Iterable


class HeightIndex:
    """Grows at the end; `rebuild` replaces everything (after an insertion or a new width)."""

    def __init__(self, heights: Iterable[int] = ()) -> None:
        self.rebuild(heights)

    def rebuild(self, heights: Iterable[int]) -> None:
        self._heights = list(heights)
        self._tree = [0, *self._heights]
        for index in range(1, len(self._tree)):
            parent = index + (index & -index)
            if parent < len(self._tree):
                self._tree[parent] += self._tree[index]
        self.total = sum(self._heights)

    def __len__(self) -> int:
        return len(self._heights)

    def __getitem__(self, position: int) -> int:
        return self._heights[position]

    def append(self, height: int) -> None:
        self._heights.append(height)
        index = len(self._heights)
        low = index - (index & -index)
        self._tree.append(height + self.offset(index - 1) - self.offset(low))
        self.total += height

    def insert(self, position: int, height: int) -> None:
        self.rebuild([*self._heights[:position], height, *self._heights[position:]])

    def set(self, position: int, height: int) -> None:
        change = height - self._heights[position]
        if not change:
            return
        self._heights[position] = height
        self.total += change
        index = position + 1
        while index < len(self._tree):
            self._tree[index] += change
            index += index & -index

    def offset(self, position: int) -> int:
        """Rows before the item at `position`."""
        rows = 0
        while position > 0:
            rows += self._tree[position]
            position -= position & -position
        return rows

    def find(self, row: int) -> tuple[int, int]:
        """The item that holds `row`, and the row within it. Items without height are passed over."""
        position = 0
        step = 1 << len(self._heights).bit_length()
        while step:
            follow = position + step
            if follow < len(self._tree) and self._tree[follow] <= row:
                position = follow
                row -= self._tree[follow]
            step >>= 1
        return position, row
