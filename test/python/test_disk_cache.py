"""What is kept on disk is only found where this user stored it, whole; the rest is made again, without a word."""

import os
import random
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from hexagon_mlir import disk_cache, targets
from hexagon_mlir.codegen import emit
from hexagon_mlir.sim import Machine
from hexagon_mlir.sim.translation.cached import check_code, model_code

TARGET = targets.get()
ROUNDS = 80


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    """A user who has never used the cache."""
    monkeypatch.delenv(disk_cache.ENVIRONMENT, raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path / ".cache" / "hexagon-mlir"


def stored(home, name="one", data=b"content"):
    disk_cache.store("code", name, data)
    assert disk_cache.load("code", name) == data
    return home / "code" / name


class TestFolders:
    def test_home_is_the_default(self, home, monkeypatch, tmp_path):
        assert disk_cache.folder() == disk_cache.own_folder() == home
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "elsewhere"))
        assert disk_cache.folder() == tmp_path / "elsewhere" / "hexagon-mlir"
        monkeypatch.setenv("XDG_CACHE_HOME", "relative")  # the standard: to be ignored
        assert disk_cache.folder() == home
        monkeypatch.setenv(disk_cache.ENVIRONMENT, str(tmp_path / "chosen"))
        assert (disk_cache.folder(), disk_cache.own_folder()) == (tmp_path / "chosen", home)

    def test_are_closed_to_others(self, home):
        before = os.umask(0)
        try:
            entry = stored(home)
        finally:
            os.umask(before)
        assert {path.name: oct(path.stat().st_mode & 0o777) for path in (home, entry.parent, entry, home / "key")} == {
            "hexagon-mlir": "0o700", "code": "0o700", "one": "0o600", "key": "0o600"}

    def test_are_closed_again(self, home):
        entry = stored(home)
        entry.parent.chmod(0o777)
        assert disk_cache.load("code", "one") == b"content"
        assert entry.parent.stat().st_mode & 0o777 == 0o700

    def test_of_another_user(self, home, monkeypatch):
        entry = stored(home)
        before = entry.read_bytes()
        user = os.geteuid()
        monkeypatch.setattr("os.geteuid", lambda: user + 1)
        disk_cache.store("code", "one", b"other")
        assert disk_cache.load("code", "one") is None
        assert entry.read_bytes() == before and os.listdir(entry.parent) == ["one"]

    def test_behind_a_link(self, home, tmp_path):
        stored(home)
        (home / "code").rename(tmp_path / "moved")
        (home / "code").symlink_to(tmp_path / "moved")
        assert disk_cache.load("code", "one") is None
        disk_cache.store("code", "two", b"")
        assert os.listdir(tmp_path / "moved") == ["one"]

    @pytest.mark.skipif(os.geteuid() != 0, reason="needs the right to give a file away")
    def test_entry_of_another_user(self, home):
        entry = stored(home)
        os.chown(entry, 12345, -1)
        assert disk_cache.load("code", "one") is None
        stored(home)
        assert entry.stat().st_uid == os.geteuid()


class TestEntries:
    @pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o602, 0o644, 0o666])
    def test_open_to_others(self, home, mode):
        entry = stored(home)
        entry.chmod(mode)
        assert disk_cache.load("code", "one") is None
        stored(home)

    def test_link(self, home, tmp_path):
        entry = stored(home)
        entry.rename(tmp_path / "moved")
        entry.symlink_to(tmp_path / "moved")
        assert disk_cache.load("code", "one") is None
        stored(home, data=b"new")
        assert not entry.is_symlink() and b"new" not in (tmp_path / "moved").read_bytes()

    def test_pipe_does_not_hang(self, home):
        entry = stored(home)
        entry.unlink()
        os.mkfifo(entry, 0o600)
        assert disk_cache.load("code", "one") is None
        stored(home)

    def test_of_another_name_or_part(self, home):
        one = stored(home, "one", b"1").read_bytes()
        for other in (stored(home, "two", b"2"), home / "sim" / "one"):
            other.parent.mkdir(0o700, exist_ok=True)
            other.write_bytes(one)
            other.chmod(0o600)
            assert disk_cache.load(other.parent.name, other.name) is None

    def test_of_another_cache(self, home, tmp_path, monkeypatch):
        """Unpacked from an archive, say: the files are the user's, but nobody had the user's key."""
        entry = stored(home).read_bytes()
        monkeypatch.setenv("HOME", str(tmp_path / "another"))
        stored(tmp_path / "another" / ".cache" / "hexagon-mlir", data=b"right").write_bytes(entry)
        assert disk_cache.load("code", "one") is None

    def test_key_is_not_where_the_entries_are(self, home, tmp_path, monkeypatch):
        monkeypatch.setenv(disk_cache.ENVIRONMENT, str(tmp_path / "chosen"))
        stored(tmp_path / "chosen")
        assert sorted(os.listdir(tmp_path / "chosen")) == ["code"] and os.listdir(home) == ["key"]


class TestKey:
    @pytest.mark.parametrize("damage", [
        lambda key: key.write_bytes(b""), lambda key: key.write_bytes(b"short"), lambda key: key.chmod(0o644),
        lambda key: key.unlink(), lambda key: (key.unlink(), key.symlink_to("/dev/zero"))],
        ids=["empty", "short", "readable", "missing", "link"])
    def test_is_made_anew(self, home, damage):
        stored(home)
        before = (home / "key").read_bytes()
        damage(home / "key")
        assert disk_cache.load("code", "one") is None
        stored(home)
        key = home / "key"
        assert len(key.read_bytes()) == 32 and key.read_bytes() != before and key.stat().st_mode & 0o777 == 0o600

    def test_many_processes_agree_on_the_first(self, home):
        """None of what they store at once is lost."""
        script = "import sys\nfrom hexagon_mlir import disk_cache\nsys.stdin.read()\n" \
                 "for i in range(20): disk_cache.store('code', f'{sys.argv[1]}-{i}', sys.argv[1].encode())\n"
        processes = [subprocess.Popen([sys.executable, "-c", script, str(number)], stdin=subprocess.PIPE)
                     for number in range(6)]
        for process in processes:
            process.stdin.close()
        assert [process.wait(timeout=60) for process in processes] == [0] * 6
        assert all(disk_cache.load("code", f"{number}-{i}") == str(number).encode()
                   for number in range(6) for i in range(20))
        assert sorted(os.listdir(home)) == ["code", "key"]


class TestWrites:
    def test_killed_process_leaves_the_old_entry(self, home):
        stored(home)
        script = ("import os\nfrom hexagon_mlir import disk_cache\nos.replace = lambda *a, **k: os._exit(9)\n"
                  "disk_cache.store('code', 'one', b'new')\n")
        assert subprocess.run([sys.executable, "-c", script]).returncode == 9
        assert disk_cache.load("code", "one") == b"content"
        assert disk_cache.usage()[:2] == (1, 1) and disk_cache.clear() == 2
        assert disk_cache.usage() == (0, 0, 0)

    def test_interrupt_leaves_nothing(self, home, monkeypatch):
        def interrupted(*args, **named):
            raise KeyboardInterrupt

        stored(home)
        monkeypatch.setattr(os, "replace", interrupted)
        with pytest.raises(KeyboardInterrupt):
            disk_cache.store("code", "one", b"new")
        assert os.listdir(home / "code") == ["one"] and disk_cache.load("code", "one") == b"content"

    def test_no_home(self, monkeypatch):
        monkeypatch.setenv("HOME", "")
        disk_cache.store("code", "one", b"")
        assert disk_cache.load("code", "one") is None

    def test_clearing_disturbs_nobody(self, home):
        entry = os.urandom(1 << 16)
        stop = threading.Event()

        def clear():
            while not stop.is_set():
                disk_cache.clear()

        thread = threading.Thread(target=clear)
        thread.start()
        for number in range(200):
            disk_cache.store("code", f"{number % 3}", entry)
            assert disk_cache.load("code", f"{number % 3}") in (None, entry)
        stop.set()
        thread.join()


def corrupt(files: list[Path], draw: random.Random) -> None:
    """One of the ways in which files are not what they were."""
    path = draw.choice(files)
    data = bytearray(path.read_bytes())
    match draw.randrange(5):
        case 0:
            for _ in range(draw.choice((1, 1, 8))):
                data[draw.randrange(len(data))] ^= 1 << draw.randrange(8)
        case 1:
            del data[draw.randrange(len(data)):]
        case 2:
            data += draw.randbytes(draw.choice((1, 64, 4096)))
        case 3:
            start = draw.randrange(len(data))
            data[start : start + 256] = draw.randbytes(256)
        case 4:
            other = draw.choice([file for file in files if file != path])
            data, mine = other.read_bytes(), data
            other.write_bytes(mine)
    path.write_bytes(data)


def test_random_corruptions_never_show(home):
    """Of entries of code generation and of the simulator, native code among them: results are right each time."""
    programs = {number: f"define i32 @f(i32 %a) {{\n  %1 = add i32 %a, {number}\n  ret i32 %1\n}}\n"
                for number in (77, 78)}
    made = {number: emit(text, TARGET) for number, text in programs.items()}
    draw = random.Random(5)
    changed = 0
    for _ in range(ROUNDS):
        for number, text in programs.items():
            assert emit(text, TARGET) == made[number]
            model_code.cache_clear()
            check_code.cache_clear()
            assert Machine(made[number], TARGET).run("f", [1000]).return_value & 0xFFFFFFFF == 1000 + number
        files = sorted(file for part in disk_cache.PARTS for file in (home / part).iterdir())
        assert len(files) == 6  # two modules, two programs, the model of caches, checks
        before = [file.read_bytes() for file in files]
        corrupt(files, draw)
        changed += before != [file.read_bytes() for file in files]
    assert changed > 0.9 * ROUNDS
