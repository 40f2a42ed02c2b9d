"""No cost that is checked in grows by more than 1 % (`bench/regressions.py`)."""

import json

import pytest
from support import ROOT

from bench import regressions
from bench.regressions import GROUPS, MORE, baseline, changes, update
from hexagon_mlir.ir import HexError

PLAIN = {"cycles": 1000, "packets": 100, "ddr_bytes": 0, "tcm_bytes": 64}


@pytest.fixture(scope="module", autouse=True)
def triton_cache(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TRITON_CACHE_DIR", str(tmp_path_factory.mktemp("triton")))
        yield


@pytest.mark.parametrize("group", [
    pytest.param(group, marks=[pytest.mark.full] * (group == MORE)) for group in GROUPS])
def test_costs(group):
    assert regressions.regressions(baseline(group), GROUPS[group]()) == []


@pytest.mark.parametrize(("cost", "value", "told"), [
    ("cycles", 1010, False), ("cycles", 1011, True), ("cycles", 10, False), ("packets", 102, True),
    ("ddr_bytes", 1, True), ("tcm_bytes", 64, False)])
def test_growth(cost, value, told):
    found = regressions.regressions({"a": PLAIN}, {"a": {**PLAIN, cost: value}})
    assert bool(found) is told and all(f"{cost} before, {value:,} now" in line for line in found)


def test_rows_that_come_and_go():
    assert regressions.regressions({"a": PLAIN}, {"b": PLAIN}) == ["a: not measured any more", "b: not checked in"]
    assert changes({"a": PLAIN}, {"a": {**PLAIN, "packets": 99}}) == [("a", "packets", 100, 99)]


def test_an_update_keeps_its_reason(tmp_path, monkeypatch):
    monkeypatch.setattr(regressions, "BASELINE", tmp_path / "costs.json")
    update({"demo": {"a": PLAIN}}, "first")
    update({"demo": {"a": {**PLAIN, "cycles": 900}}}, "loads are shared")
    file = json.loads((tmp_path / "costs.json").read_text())
    assert [(u["reason"], u["cycles"]) for u in file["updates"]] == [("first", {}),
                                                                    ("loads are shared", {"demo: a": [1000, 900]})]
    assert baseline("demo")["a"]["cycles"] == 900
    assert baseline("a new group") == {}


def test_the_command_line(capsys):
    with pytest.raises(SystemExit):
        regressions.main(["--update", " "])
    assert "needs a reason" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        regressions.main(["dem"])
    assert "no group dem" in capsys.readouterr().err


def test_a_group_with_an_error_does_not_stop_others(tmp_path, monkeypatch):
    def fails():
        raise HexError.plain("it fails", origin="test")

    monkeypatch.setattr(regressions, "BASELINE", tmp_path / "costs.json")
    monkeypatch.setattr(regressions, "GROUPS", {"first": fails, "second": lambda: {"a": PLAIN}})
    with pytest.raises(SystemExit, match=r"first: not measured: .*it fails"):
        regressions.main(["--update", "a reason"])
    assert baseline("second") == {"a": PLAIN}
    with pytest.raises(SystemExit, match="first: not measured"):
        regressions.main([])


def test_every_group_is_baseline():
    file = json.loads((ROOT / "bench" / "regressions.json").read_text())
    assert set(file["costs"]) == set(GROUPS) and all(file["costs"].values())
    assert all(update["reason"] for update in file["updates"])
