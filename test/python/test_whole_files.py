"""What is written is there whole or not at all, and nothing that is no regular file is replaced."""

import errno
import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from binaries import files_of_at_most, needs_linker
from support import run_opt

from hexagon_mlir import whole_files
from hexagon_mlir.ir import HexError
from hexagon_mlir.whole_files import is_replaced, write_files

SOURCE = "func.func @f(%a: i32) -> i32 { return %a : i32 }\n"
KERNEL = """
func.func @twice(%x: tensor<64xi32>) -> tensor<64xi32> {
  %0 = linalg.add ins(%x, %x : tensor<64xi32>, tensor<64xi32>) outs(%x : tensor<64xi32>) -> tensor<64xi32>
  return %0 : tensor<64xi32>
}
"""
CODE = "import sys; from pathlib import Path; from hexagon_mlir.whole_files import write_files; "


@pytest.fixture
def umask():
    before = os.umask(0o027)
    yield
    os.umask(before)


def device(folder: Path, name: str, minor: int) -> Path:
    """A device of our own: for root, one that a mistake may replace."""
    if os.getuid():
        return Path("/dev", name)
    try:
        os.mknod(folder / name, stat.S_IFCHR | 0o666, os.makedev(1, minor))
        (folder / name).write_bytes(b"")
    except OSError:
        pytest.skip("needs to make devices")
    return folder / name


def mode(path) -> int:
    return stat.S_IMODE(os.stat(path).st_mode)


class TestOtherThanRegularFiles:
    def test_a_device_stays_one(self, tmp_path):
        null = device(tmp_path, "null", 3)
        write_files({null: b"x"})
        assert stat.S_ISCHR(os.stat(null).st_mode)

    def test_a_full_device_changes_nothing(self, tmp_path):
        file = tmp_path / "new" / "a"
        with pytest.raises(HexError, match="/full: error: cannot write the file: No space left on device"):
            write_files({file: b"x", device(tmp_path, "full", 7): b"x"}, folders=[file.parent])
        assert not file.parent.exists()

    def test_a_fifo_is_written_to(self, tmp_path):
        fifo, read = tmp_path / "fifo", []
        os.mkfifo(fifo)
        reader = threading.Thread(target=lambda: read.append(fifo.read_bytes()), daemon=True)
        reader.start()
        write_files({fifo: [b"one ", memoryview(b"two")]})
        reader.join(timeout=20)
        assert read == [b"one two"] and stat.S_ISFIFO(os.stat(fifo).st_mode)

    def test_a_fifo_whose_reader_leaves(self, tmp_path):
        fifo = tmp_path / "fifo"
        os.mkfifo(fifo)
        reader = threading.Thread(target=lambda: os.close(os.open(fifo, os.O_RDONLY)), daemon=True)
        reader.start()
        with pytest.raises(BrokenPipeError):
            write_files({fifo: [bytes(1 << 20)] * 10})

    @pytest.mark.parametrize("name", ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"])
    @pytest.mark.parametrize("appended", [False, True])
    def test_standard_output_keeps_what_was_written_before(self, name, appended, tmp_path):
        """Also where it is a file: writing goes on where it was."""
        assert not is_replaced(Path(name))
        log = tmp_path / "log"
        log.write_text("kept\n")
        with open(log, "ab" if appended else "wb") as stream:
            code = f"{CODE}print('one'); write_files({{Path('{name}'): b'two\\n'}}); print('three')"
            subprocess.run([sys.executable, "-c", code], stdout=stream, check=True)
        assert log.read_text() == "kept\n" * appended + "one\ntwo\nthree\n"

    def test_a_link_stays_and_its_target_is_replaced(self, tmp_path):
        (tmp_path / "real").mkdir()
        target, link = tmp_path / "real" / "file", tmp_path / "link"
        target.write_text("before")
        link.symlink_to(Path("real", "file"))
        before = target.open()
        write_files({link: b"after"})
        assert link.is_symlink() and target.read_text() == "after"
        assert before.read() == "before"  # who reads the old file has all of it
        assert os.listdir(tmp_path / "real") == ["file"]

    def test_a_link_to_nothing_makes_its_target(self, tmp_path):
        (tmp_path / "link").symlink_to("new")
        write_files({tmp_path / "link": b"x"})
        assert (tmp_path / "link").is_symlink() and (tmp_path / "new").read_bytes() == b"x"

    def test_a_link_to_itself(self, tmp_path):
        (tmp_path / "link").symlink_to("link")
        with pytest.raises(HexError, match="link: error: cannot write the file: Too many levels of symbolic links"):
            write_files({tmp_path / "link": b"x"})

    def test_a_folder(self, tmp_path):
        with pytest.raises(HexError, match="cannot write the file: Is a directory"):
            write_files({tmp_path: b"x"})


class TestPermissions:
    def test_of_a_new_file(self, tmp_path, umask):
        write_files({tmp_path / "a": b"", tmp_path / "b": b""}, executable=[tmp_path / "b"])
        assert (mode(tmp_path / "a"), mode(tmp_path / "b")) == (0o640, 0o750)

    @pytest.mark.parametrize("before", [0o600, 0o666, 0o751])
    def test_of_an_existing_file(self, before, tmp_path, umask):
        file = tmp_path / "a"
        file.write_text("")
        file.chmod(before)
        write_files({file: b"x"})
        assert (mode(file), file.read_bytes()) == (before, b"x")

    def test_a_program_can_be_run_by_who_may_read_it(self, tmp_path):
        file = tmp_path / "a"
        file.write_text("")
        file.chmod(0o640)
        write_files({file: b"x"}, executable=[file])
        assert mode(file) == 0o750

    @pytest.mark.skipif(os.getuid() != 0, reason="needs root")
    def test_the_owner_stays(self, tmp_path):
        file = tmp_path / "a"
        file.write_text("")
        os.chown(file, 1234, 4321)
        write_files({file: b"x"})
        assert (file.stat().st_uid, file.stat().st_gid) == (1234, 4321)

    def test_a_protected_file_is_left_alone(self, tmp_path, monkeypatch):
        file = tmp_path / "a"
        file.write_text("before")
        monkeypatch.setattr(os, "access", lambda path, kind: False)  # root may write anything
        with pytest.raises(HexError, match="cannot write the file: Permission denied"):
            write_files({file: b"x"})
        assert file.read_text() == "before" and os.listdir(tmp_path) == ["a"]


class TestErrors:
    def test_a_file_system_without_unnamed_files(self, tmp_path, monkeypatch):
        real = os.open

        def refusing(path, flags, *rest, **others):
            if flags & os.O_TMPFILE == os.O_TMPFILE:
                raise OSError(errno.EOPNOTSUPP, "Operation not supported")
            return real(path, flags, *rest, **others)

        monkeypatch.setattr(whole_files.os, "open", refusing)
        write_files({tmp_path / "a": b"x"})
        assert os.listdir(tmp_path) == ["a"] and (tmp_path / "a").read_bytes() == b"x"
        with files_of_at_most(100), pytest.raises(HexError, match="File too large"):
            write_files({tmp_path / "a": bytes(1000)})
        assert os.listdir(tmp_path) == ["a"] and (tmp_path / "a").read_bytes() == b"x"

    def test_content_that_cannot_be_made(self, tmp_path):
        def pieces():
            yield b"x"
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            write_files({tmp_path / "new" / "a": b"x", tmp_path / "new" / "b": pieces()}, folders=[tmp_path / "new"])
        assert os.listdir(tmp_path) == []

    def test_a_kill_while_writing_leaves_no_rest(self, tmp_path):
        code = (f"{CODE}import os, signal\n"
                "def pieces():\n    yield bytes(1 << 20)\n    os.kill(os.getpid(), signal.SIGKILL)\n    yield b''\n"
                f"write_files({{Path({str(tmp_path)!r}) / 'a': pieces()}})")
        (tmp_path / "a").write_text("before")
        assert subprocess.run([sys.executable, "-c", code]).returncode == -9
        assert os.listdir(tmp_path) == ["a"] and (tmp_path / "a").read_text() == "before"

    def test_many_write_the_same_folder(self, tmp_path):
        """Folders come and go under each other's hands."""
        code = (f"{CODE}\nfor n in range(60):\n"
                f"    folder = Path({str(tmp_path)!r}, 'a', str(n))\n"
                "    write_files({folder / f'{i}': bytes([65 + i]) * 5000 for i in range(4)}, folders=[folder])")
        running = [subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.PIPE) for _ in range(3)]
        assert [each.communicate(timeout=120)[1] for each in running] == [b""] * 3
        assert sorted(os.listdir(tmp_path / "a"), key=int) == [str(n) for n in range(60)]
        for folder in (tmp_path / "a").iterdir():
            assert {f.name: f.read_bytes() for f in folder.iterdir()} == {
                str(i): bytes([65 + i]) * 5000 for i in range(4)}


@pytest.fixture
def small_disk(tmp_path):
    """A file system of 64 KiB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "none", folder], capture_output=True).returncode:
        pytest.skip("needs to mount a file system")
    yield folder
    subprocess.run(["umount", folder], check=True)


class TestTools:
    def test_the_input_survives_a_full_disk(self, small_disk):
        file = small_disk / "k.mlir"
        file.write_text(SOURCE)
        (small_disk / "rest").write_bytes(bytes(60 << 10))
        text = "".join(SOURCE.replace("@f", f"@f{i}") for i in range(1000))
        done = run_opt("-", "-o", str(file), stdin=text.encode())
        assert (done.code, done.err) == (1, f"{file}: error: cannot write the file: No space left on device\n")
        assert file.read_text() == SOURCE and sorted(os.listdir(small_disk)) == ["k.mlir", "rest"]

    def test_a_dump_on_a_full_disk(self, small_disk):
        text = "".join(SOURCE.replace("@f", f"@f{i}") for i in range(2000))
        done = run_opt("-", "--cse", f"--dump-ir={small_disk}", stdin=text.encode())
        assert (done.code, done.out) == (1, "")
        assert done.err == f"{small_disk}/00-cse.before.mlir: error: cannot write the file: No space left on device\n"
        assert os.listdir(small_disk) == []

    def test_an_output_that_is_the_input(self, tmp_path):
        file = tmp_path / "k.mlir"
        file.write_text(SOURCE)
        file.chmod(0o600)
        assert run_opt(str(file), "--cse", "-o", str(file)).code == 0
        assert file.read_text().startswith("module {") and mode(file) == 0o600

    @pytest.mark.parametrize("emit", ["asm", "obj", pytest.param("so", marks=needs_linker)])
    def test_compiled_to_a_device(self, emit, tmp_path):
        (tmp_path / "k.mlir").write_text(KERNEL)
        null = device(tmp_path, "null", 3)
        before = set(os.listdir(null.parent))
        done = run_opt("compile", "k.mlir", f"--emit={emit}", "-o", str(null), tool="hexmlir", cwd=tmp_path)
        assert (done.code, done.out, done.err) == (0, "", "")
        assert stat.S_ISCHR(os.stat(null).st_mode) and set(os.listdir(null.parent)) == before

    def test_weights_need_a_file(self, tmp_path):
        values = ", ".join(map(str, range(8192)))
        (tmp_path / "k.mlir").write_text(
            f"func.func @f(%x: tensor<8192xi32>) -> tensor<8192xi32> {{\n"
            f"  %c = arith.constant dense<[{values}]> : tensor<8192xi32>\n"
            "  %0 = linalg.add ins(%x, %c : tensor<8192xi32>, tensor<8192xi32>) outs(%x : tensor<8192xi32>)\n"
            "    -> tensor<8192xi32>\n  return %0 : tensor<8192xi32>\n}\n")
        null = device(tmp_path, "null", 3)
        done = run_opt("compile", "k.mlir", "--emit=asm", "-o", str(null), tool="hexmlir", cwd=tmp_path)
        assert (done.code, done.out) == (1, "")
        assert done.err == f"{null}: error: the weights need a file next to the output\n  hint: -o OUT\n"

    def test_compiled_to_standard_output(self, tmp_path):
        (tmp_path / "k.mlir").write_text(KERNEL)
        done = run_opt("compile", "k.mlir", "--emit=asm", "-o", "/dev/fd/1", tool="hexmlir", cwd=tmp_path)
        assert (done.code, done.err) == (0, "") and os.listdir(tmp_path) == ["k.mlir"]
        run_opt("compile", "k.mlir", "--emit=asm", tool="hexmlir", cwd=tmp_path)
        assert done.out == (tmp_path / "k.s").read_text()
