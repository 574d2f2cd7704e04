"""The first differing spot of two prompts: section or file, line, tool."""

from pathlib import Path

from openclaw_tui.ledger.snapshots import PromptSnapshots, PromptTexts, changed_sections, first_difference

STABLE = """You are a coding agent.

## Safety
Be careful.

# Project Context
Files of the user and the project, loaded for you:
## AGENTS.md
# Rules
Use tabs.
## Style
Short lines.
## docs/AGENTS.md
Write plainly."""
TOOLS = {"read": '{"a":1}', "grep": '{"b":1}', "exec": '{"c":1}'}


def texts(
    stable: str = STABLE, dynamic: str = "## Runtime\nmodel=a", tools: dict[str, str] | None = None
) -> PromptTexts:
    return PromptTexts(stable, dynamic, TOOLS if tools is None else tools)


def test_line_of_a_project_file_counts_from_its_own_first_line() -> None:
    spot = first_difference(texts(), texts(STABLE.replace("Use tabs.", "Use spaces.")))
    assert spot is not None
    assert (str(spot), spot.before, spot.after) == ("AGENTS.md, line 2", "Use tabs.", "Use spaces.")


def test_heading_inside_a_project_file_is_no_section_of_the_prompt() -> None:
    spot = first_difference(texts(), texts(STABLE.replace("Short lines.", "Long lines.")))
    assert spot is not None
    assert (spot.where, spot.line) == ("AGENTS.md", 4)


def test_nearer_file_is_named_and_not_the_first_one() -> None:
    spot = first_difference(texts(), texts(STABLE.replace("plainly", "briefly")))
    assert spot is not None
    assert str(spot) == "docs/AGENTS.md, line 1"


def test_file_whose_heading_says_whose_words_it_holds_is_named_without_that() -> None:
    marked = STABLE.replace("## AGENTS.md", "## AGENTS.md (the project's words)")
    spot = first_difference(texts(marked), texts(marked.replace("Use tabs.", "Use spaces.")))
    assert str(spot) == "AGENTS.md, line 2"
    assert changed_sections(marked, marked.replace("Write plainly", "Write briefly")) == ["docs/AGENTS.md"]


def test_section_of_our_own_is_named() -> None:
    spot = first_difference(texts(), texts(STABLE.replace("Be careful.", "Be bold.")))
    assert spot is not None
    assert str(spot) == "Safety, line 1"


def test_file_that_became_shorter_is_named() -> None:
    spot = first_difference(texts(), texts(STABLE.removesuffix("\nWrite plainly.")))
    assert spot is not None
    assert (spot.where, spot.before, spot.after) == ("docs/AGENTS.md", "Write plainly.", "")


def test_tools_come_first_as_they_do_on_the_wire() -> None:
    other = texts("another", tools={**TOOLS, "grep": '{"b":2}'})
    spot = first_difference(texts(), other)
    assert spot is not None
    assert str(spot) == "tools[1] grep, schema"


def test_new_lost_and_moved_tools_are_told_apart() -> None:
    def where(tools: dict[str, str]) -> str:
        return str(first_difference(texts(), texts(tools=tools)))

    assert where({"read": '{"a":1}', "recall": "{}", **TOOLS}) == "tools[1] recall, new"
    assert where({"read": '{"a":1}', "exec": '{"c":1}'}) == "tools[1] grep, gone"
    assert where({"grep": '{"b":1}', "read": '{"a":1}', "exec": '{"c":1}'}) == "tools[0] grep, order"


def test_change_below_the_boundary_says_so() -> None:
    spot = first_difference(texts(), texts(dynamic="## Runtime\nmodel=b"))
    assert spot is not None
    assert str(spot) == "below the boundary: Runtime, line 1"


def test_same_prompt_has_no_difference() -> None:
    assert first_difference(texts(), texts()) is None


def test_changed_sections_are_named_in_their_order() -> None:
    new = STABLE.replace("Be careful.", "Be bold.").replace("Use tabs.", "Use spaces.")
    assert changed_sections(STABLE, new) == ["Safety", "AGENTS.md"]
    assert changed_sections(STABLE, STABLE + "\n## NEW.md\nx") == ["NEW.md"]


def test_last_two_different_prompts_survive_a_restart(tmp_path: Path) -> None:
    snapshots = PromptSnapshots(tmp_path)
    for stable in ("one", "two", "two", "three"):
        snapshots.keep(texts(stable))
    again = PromptSnapshots(tmp_path)
    assert again.previous is not None
    assert again.last is not None
    assert (again.previous.stable, again.last.stable) == ("two", "three")
    (tmp_path / "prompts.json").write_text("no json", encoding="utf-8")
    assert PromptSnapshots(tmp_path).last is None
