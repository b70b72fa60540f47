"""A folder -> the kind of file system it lies on, by the table that Linux keeps of them.

Elsewhere there is no such table, and the kind is not known. Called by watch.py.
"""

from __future__ import annotations

import re
from pathlib import Path

# File systems on which others write without this machine being told.
# fmt: off
REMOTE = frozenset((
    "9p", "afs", "beegfs", "ceph", "cifs", "davfs", "drvfs", "fuse.davfs2", "fuse.gcsfuse",
    "fuse.glusterfs", "fuse.grpcfuse", "fuse.osxfs", "fuse.rclone", "fuse.s3fs", "fuse.sshfs",
    "fuse.vmhgfs-fuse", "gfs2", "glusterfs", "gpfs", "lustre", "ncpfs", "nfs", "nfs4", "ocfs2",
    "prl_fs", "smb3", "smbfs", "vboxsf", "virtiofs", "vmhgfs",
))
# fmt: on
_TABLE = Path("/proc/self/mountinfo")
_MOUNT_POINT = 4


def file_system(root: Path, table: str) -> str:
    """Return the kind of file system a folder lies on, by a table as Linux keeps it, or ""."""
    best, kind = "", ""
    for line in table.splitlines():
        mount, _, source = line.partition(" - ")
        fields, kinds = mount.split(" "), source.split(" ")
        if len(fields) <= _MOUNT_POINT:
            continue
        point = re.sub(r"\\([0-7]{3})", lambda octal: chr(int(octal[1], 8)), fields[_MOUNT_POINT])
        if len(point) >= len(best) and root.is_relative_to(point):
            best, kind = point, kinds[0]
    return kind


def mounts() -> str:
    """Return the table, or nothing."""
    try:
        return _TABLE.read_text("utf-8", "replace")
    except OSError:
        return ""
