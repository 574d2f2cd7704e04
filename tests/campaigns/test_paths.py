"""The campaign of paths in short; its long form is a command (CONTRIBUTING)."""

from pathlib import Path

from tests.campaigns import paths


async def test_no_path_leads_out_of_the_workspace_unasked(tmp_path: Path) -> None:
    seen = await paths.run(tmp_path, count=150, seed=7)
    assert seen["refused"] > 50
    assert {what: times for what, times in seen.items() if what.startswith(("read outside", "written", "  "))} == {}


def test_campaign_would_see_what_changes_outside(tmp_path: Path) -> None:
    ground = paths.Ground(tmp_path)
    before = ground.state()
    (ground.outside / "new").write_text("x", encoding="utf-8")
    assert ground.state() != before
