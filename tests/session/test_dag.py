"""The shape of a session: paths, branches, ends, and what happens to links when entries go."""

import itertools

from hypothesis import given
from hypothesis import strategies as st

from openclaw_tui.session.dag import NO_PARENT, EntryTree, reparented

_shapes = st.lists(st.integers(0, 1000), max_size=40)


def _tree(choices: list[int]) -> EntryTree:
    """Every number picks one of the entries before it, or none, as the parent."""
    tree = EntryTree()
    for number, choice in enumerate(choices):
        tree.add(f"e{number}", "message", choice % (number + 1) - 1)
    return tree


def _of(*rows: tuple[str, str, int]) -> EntryTree:
    tree = EntryTree()
    for entry_id, kind, parent in rows:
        tree.add(entry_id, kind, parent)
    return tree


@given(_shapes)
def test_every_path_leads_from_a_root_to_its_entry(choices: list[int]) -> None:
    tree = _tree(choices)
    for ordinal in range(len(tree)):
        path = tree.path(ordinal)
        assert path[-1] == ordinal
        assert tree.parent(path[0]) == NO_PARENT
        assert all(tree.parent(below) == above for above, below in itertools.pairwise(path))


@given(_shapes)
def test_every_entry_lies_on_the_path_of_some_leaf(choices: list[int]) -> None:
    tree = _tree(choices)
    covered = {ordinal for leaf in tree.leaves() for ordinal in tree.path(leaf)}
    assert covered == set(range(len(tree)))


@given(_shapes.filter(bool), st.data())
def test_the_common_ancestor_is_the_deepest_shared_entry(choices: list[int], data: st.DataObject) -> None:
    tree = _tree(choices)
    one, other = (data.draw(st.integers(0, len(tree) - 1)) for _ in range(2))
    shared = [ordinal for ordinal in tree.path(one) if ordinal in tree.path(other)]
    assert tree.common_ancestor(one, other) == (shared[-1] if shared else NO_PARENT)


@given(_shapes, st.sets(st.integers(0, 39)))
def test_survivors_hang_on_the_nearest_surviving_ancestor(choices: list[int], removed: set[int]) -> None:
    tree = _tree(choices)
    moved = reparented(tree, removed)
    for ordinal in set(range(len(tree))) - removed:
        expected = [above for above in tree.path(ordinal)[:-1] if above not in removed]
        assert moved.get(ordinal, tree.parent(ordinal)) == (expected[-1] if expected else NO_PARENT)


def test_a_compaction_that_a_retry_replaced_is_no_branch_but_a_branch_of_the_user_is() -> None:
    tree = _of(
        ("root", "message", NO_PARENT),
        ("dead", "compaction", 0),
        ("live", "compaction", 0),
        ("user-branch", "message", 0),
        ("talk", "message", 2),
    )
    assert [tree.ids[leaf] for leaf in tree.leaves()] == ["user-branch", "talk"]


def test_a_lone_compaction_at_the_end_is_a_leaf() -> None:
    tree = _of(("root", "message", NO_PARENT), ("c", "compaction", 0))
    assert tree.leaves() == [1]
