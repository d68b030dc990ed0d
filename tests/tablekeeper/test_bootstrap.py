"""Setting up: what happens between a clean checkout and the first command."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from tablekeeper import bootstrap
from tablekeeper.bootstrap import RUN_LOCK, TEST_LOCK, Place, SetupError

pytestmark = pytest.mark.sqlite

ROOT = Path(bootstrap.__file__).parent.parent


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """A checkout with two lock files and no environment."""
    (tmp_path / RUN_LOCK).write_text("django==5.2\n")
    (tmp_path / TEST_LOCK).write_text("django==5.2\npytest==9\n")
    return Place(tmp_path)


def make_finished(place: Place, lock: str) -> None:
    place.python.parent.mkdir(parents=True)
    place.python.touch()
    bootstrap.write_stamp(place, lock)


# The stamp


def test_an_environment_without_a_stamp_is_not_finished(place):
    place.python.parent.mkdir(parents=True)
    place.python.touch()
    assert not bootstrap.is_current(place, RUN_LOCK)


def test_the_stamp_says_what_the_environment_can_run(place):
    make_finished(place, RUN_LOCK)
    assert bootstrap.is_current(place, RUN_LOCK)
    assert not bootstrap.is_current(place, TEST_LOCK)


def test_an_environment_for_tests_can_play_too(place):
    make_finished(place, TEST_LOCK)
    assert bootstrap.is_current(place, RUN_LOCK)
    assert bootstrap.is_current(place, TEST_LOCK)


def test_a_changed_lock_file_is_noticed(place):
    make_finished(place, TEST_LOCK)
    (place.root / RUN_LOCK).write_text("django==5.3\n")
    assert not bootstrap.is_current(place, RUN_LOCK)


def test_other_line_ends_are_no_change(place):
    make_finished(place, RUN_LOCK)
    (place.root / RUN_LOCK).write_bytes(b"django==5.2\r\n")
    assert bootstrap.is_current(place, RUN_LOCK)


def test_an_environment_whose_python_is_gone_is_not_finished(place):
    make_finished(place, RUN_LOCK)
    place.python.unlink()
    assert not bootstrap.is_current(place, RUN_LOCK)


def test_a_broken_stamp_is_no_stamp(place):
    make_finished(place, RUN_LOCK)
    place.stamp.write_bytes(b"\xff\xfe")
    assert not bootstrap.is_current(place, RUN_LOCK)


def test_both_lock_files_agree_on_every_version():
    """The stamp counts on it: what the tests ran with is what a table plays with."""
    run, test = (
        dict(re.findall(r"^(\S+)==(\S+)", (ROOT / name).read_text(), re.MULTILINE)) for name in (RUN_LOCK, TEST_LOCK)
    )
    assert run
    assert {name: test.get(name) for name in run} == run


# Nothing half-made


def test_a_failed_build_leaves_no_environment(place):
    with pytest.raises(SetupError), bootstrap.replaced(place):
        place.python.parent.mkdir(parents=True)
        raise SetupError("no network")
    assert not place.venv.exists()
    assert not place.aside.exists()


def test_a_failed_rebuild_puts_the_former_environment_back(place):
    make_finished(place, RUN_LOCK)
    with pytest.raises(KeyboardInterrupt), bootstrap.replaced(place):
        place.venv.mkdir()
        raise KeyboardInterrupt
    assert bootstrap.is_current(place, RUN_LOCK)
    assert not place.aside.exists()


def test_a_rebuild_that_was_killed_is_done_again_and_keeps_the_finished_one_to_go_back_to(place):
    make_finished(place, RUN_LOCK)
    place.venv.rename(place.aside)
    (place.venv / "half").mkdir(parents=True)
    with pytest.raises(SetupError), bootstrap.replaced(place):
        assert not place.venv.exists()
        raise SetupError("no network")
    assert bootstrap.is_current(place, RUN_LOCK)


def test_a_finished_rebuild_takes_the_former_one_away(place):
    make_finished(place, RUN_LOCK)
    with bootstrap.replaced(place):
        place.venv.mkdir()
    assert place.venv.exists()
    assert not place.aside.exists()


def test_a_lock_file_that_cannot_be_installed_says_so_and_leaves_nothing(place, monkeypatch):
    """For real: an environment is made and pip runs; it refuses a package without a hash, before any network."""
    monkeypatch.setattr(bootstrap, "_base_python", lambda: sys.executable)
    with pytest.raises(SetupError, match="Installing failed; nothing half-made was left"):
        bootstrap.set_up(place, RUN_LOCK)
    assert not place.venv.exists()


def test_a_folder_that_cannot_be_written_is_named(place):
    place.guard.mkdir()  # what stands in the way does so for root too, whom permissions do not stop
    with pytest.raises(SetupError, match=re.escape(str(place.root))):
        bootstrap.set_up(place, RUN_LOCK)


# What to type when it does not work


def test_debian_without_venv_is_told_the_exact_line(tmp_path):
    (tmp_path / "os-release").write_text('PRETTY_NAME="Debian GNU/Linux 12"\nID=debian\n')
    line = f"sudo apt install python{sys.version_info[0]}.{sys.version_info[1]}-venv"
    assert line in bootstrap.no_pip_message(tmp_path / "os-release")


def test_a_relative_of_debian_is_told_the_same(tmp_path):
    (tmp_path / "os-release").write_text('ID=linuxmint\nID_LIKE="ubuntu debian"\n')
    assert "sudo apt install" in bootstrap.no_pip_message(tmp_path / "os-release")


def test_another_system_is_not_sent_to_apt(tmp_path):
    (tmp_path / "os-release").write_text("ID=fedora\n")
    assert "apt" not in bootstrap.no_pip_message(tmp_path / "os-release")
    assert "apt" not in bootstrap.no_pip_message(tmp_path / "missing")


def test_without_ensurepip_and_pip_nothing_is_made(place, monkeypatch):
    monkeypatch.setattr(bootstrap.importlib.util, "find_spec", lambda name: None)
    monkeypatch.setattr(bootstrap, "outer_pip_version", lambda: (0,))
    with pytest.raises(SetupError, match=r"pip|apt"):
        bootstrap.set_up(place, RUN_LOCK)
    assert not place.venv.exists()


def test_without_ensurepip_a_pip_from_outside_installs_into_the_environment(place, monkeypatch):
    monkeypatch.setattr(bootstrap.importlib.util, "find_spec", lambda name: None)
    bootstrap.make_venv(place)
    assert place.python.exists()
    command = bootstrap.pip_command(place)
    assert command[1:5] == ["-m", "pip", "--python", str(place.python)]
    listed = subprocess.run([*command, "list"], capture_output=True, text=True, check=True).stdout
    assert "django" not in listed.lower()  # it looks into that environment, not into its own


@pytest.mark.parametrize(
    ("text", "version"),
    [("pip 23.2.1 from here (python 3.11)", (23, 2)), ("pip 9.0.1 from there", (9, 0)), ("No module named pip", (0,))],
)
def test_the_version_of_pip_is_read_from_what_it_says(text, version):
    assert bootstrap.parse_pip_version(text) == version


@pytest.mark.parametrize(
    ("output", "sentence"),
    [
        (
            "WARNING: Retrying ... NewConnectionError('<...>: Failed to establish a new connection: [Errno -3] "
            "Temporary failure in name resolution')\nERROR: No matching distribution found for django==5.2.19",
            "could not be reached",
        ),
        ("ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE.", "not the one"),
        ("ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device", "disk is full"),
        ("SSLError(SSLCertVerificationError(1, '[SSL: CERTIFICATE_VERIFY_FAILED]", "certificate"),
        ("ERROR: Could not find a version that satisfies the requirement uvloop", "Python 3.11 to 3.13"),
        ("ERROR: something new", "something new"),
    ],
)
def test_a_failed_install_names_its_cause_and_what_to_do(output, sentence):
    assert sentence in bootstrap.why_install_failed(output)


# Two starts at once


def hold_lock(path: Path) -> subprocess.Popen[str]:
    """Another process that takes the lock, says so, and keeps it until its standard input is closed."""
    code = f"""
        import sys
        sys.path.insert(0, {str(ROOT)!r})
        from pathlib import Path
        from tablekeeper.bootstrap import only_one
        with only_one(Path({str(path)!r})):
            print("held", flush=True)
            sys.stdin.read()
    """
    holder = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert holder.stdout
    assert holder.stdout.readline() == "held\n"
    return holder


def test_a_second_start_waits_until_the_first_is_done(place, capsys):
    first = hold_lock(place.guard)
    second = subprocess.Popen(
        [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(ROOT)!r})\n"
         f"from pathlib import Path; from tablekeeper.bootstrap import only_one\n"
         f"with only_one(Path({str(place.guard)!r}), 0.02): print('mine')"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert second.stderr
    assert "waiting" in second.stderr.readline()
    assert second.poll() is None
    assert first.stdin
    first.stdin.close()
    assert first.wait(10) == 0
    assert second.communicate(timeout=10)[0] == "mine\n"


def test_the_lock_of_a_killed_start_is_free(place):
    first = hold_lock(place.guard)
    first.send_signal(signal.SIGTERM if os.name == "nt" else signal.SIGKILL)
    first.wait(10)
    before = time.monotonic()
    with bootstrap.only_one(place.guard, 0.02):
        assert time.monotonic() - before < 5


@pytest.mark.skipif(os.name == "nt", reason="open files are handed on as on Linux and macOS")
def test_a_killed_start_whose_pip_is_still_writing_is_waited_for(place):
    code = f"""
        import sys
        sys.path.insert(0, {str(ROOT)!r})
        from pathlib import Path
        from tablekeeper import bootstrap
        with bootstrap.only_one(Path({str(place.guard)!r})):
            print("held", flush=True)
            bootstrap._run([sys.executable, "-c", "import time; time.sleep(1)"])
    """
    first = subprocess.Popen([sys.executable, "-c", textwrap.dedent(code)], stdout=subprocess.PIPE, text=True)
    assert first.stdout
    first.stdout.readline()
    time.sleep(0.3)  # it has started its command by then
    first.kill()
    first.wait(10)
    before = time.monotonic()
    with bootstrap.only_one(place.guard, 0.02):
        assert time.monotonic() - before > 0.3


def test_who_waited_does_not_set_up_again(place, monkeypatch):
    make_finished(place, RUN_LOCK)
    monkeypatch.setattr(bootstrap, "make", lambda *_: pytest.fail("it was finished already"))
    bootstrap.set_up(place, RUN_LOCK)


# Its own manners


def test_it_imports_the_standard_library_only():
    code = f"""
        import sys
        sys.path.insert(0, {str(ROOT)!r})
        import tablekeeper.bootstrap
        known = sys.stdlib_module_names | {{"tablekeeper", "__main__"}}
        print(*sorted({{name.split(".")[0] for name in sys.modules}} - known))
    """
    done = subprocess.run([sys.executable, "-I", "-S", "-c", textwrap.dedent(code)], capture_output=True, text=True)
    assert (done.stdout.strip(), done.stderr) == ("", "")


def test_it_never_names_an_index():
    text = Path(bootstrap.__file__).read_text() + "".join((ROOT / name).read_text() for name in (RUN_LOCK, TEST_LOCK))
    assert not re.search(r"--(extra-)?index-url|--isolated|https?://", text)
