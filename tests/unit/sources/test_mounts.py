"""The kind of file system is read from the system's own table."""

from __future__ import annotations

from pathlib import Path

import pytest

from trivium.sources.mounts import file_system, mounts


@pytest.mark.parametrize(
    ("root", "kind"),
    [
        ("/home/ana/code", "ext4"),
        ("/mnt/with space/code", "cifs"),
        ("/mnt/with", "ext4"),
        ("/home/ana/remote", "fuse.sshfs"),
        ("/home/ana/remote/deep/er", "fuse.sshfs"),
        ("/home/ana/remote-not", "ext4"),
    ],
)
def test_the_file_system_is_that_of_the_nearest_mount(root: str, kind: str) -> None:
    mounts = (
        "22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n"
        "40 22 0:5 / /mnt/with\\040space rw - cifs //server/share rw\n"
        "broken line\n"
        "41 22 0:6 / /home/ana/remote rw,nosuid - fuse.sshfs ana@far: rw\n"
    )

    assert file_system(Path(root), mounts) == kind
    assert file_system(Path(root), "") == ""


def test_the_table_of_this_machine_is_read_where_there_is_one(tmp_path: Path) -> None:
    kind = file_system(tmp_path, mounts())

    assert f" - {kind} " in mounts() or (kind, mounts()) == ("", "")
