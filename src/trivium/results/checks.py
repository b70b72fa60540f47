"""What a check of links and skills found -> plain data, or lines for a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from trivium.graph.quality import BrokenLink, Report
from trivium.results.present import Data, Place, counted, one_line

Broken = Sequence[tuple[str, BrokenLink]]


def checked_data(broken: Broken, skills: Report | None) -> Data:
    """Return a check as plain data with camelCase keys."""
    return {
        "brokenLinks": [
            {"filePath": path, "source": link.source, "target": link.target}
            for path, link in broken
        ],
        "skills": None if skills is None else _skills_data(skills),
    }


def _skills_data(report: Report) -> Data:
    return {
        "score": report.score,
        "maxScore": 100,
        "skills": report.skills,
        "links": report.links,
        "density": round(report.density, 4),
        "averageDegree": round(report.average_degree, 2),
        "clusters": len(report.clusters),
        "clustersWithMap": report.clusters_with_map,
        "coverage": round(report.coverage, 1),
        "orphans": list(report.orphans),
        "deadEnds": list(report.dead_ends),
        "issues": [
            {
                "type": one.flaw.value,
                "nodes": list(one.nodes),
                "cost": one.cost,
                "link": one.link or None,
            }
            for one in report.issues
        ],
        "bonuses": {"maps": report.bonuses.maps, "links": report.bonuses.links},
    }


def checked_text(broken: Broken, skills: Report | None, *, place: Place = str) -> str:
    """Return a check for a terminal."""
    lines = [f"{counted(len(broken), 'link')} that lead nowhere" if broken else "All links lead on"]
    lines += [f"  {one_line(place(path))}: {one_line(link.target)}" for path, link in broken]
    if skills is None:
        return "\n".join(lines)
    lines.append(
        f"{counted(skills.skills, 'skill')}, {counted(skills.links, 'link')} between them: "
        f"{skills.score} of 100 points"
    )
    for one in skills.issues:
        about = f" {one_line(one.link)}" if one.link else ""
        lines.append(f"  -{one.cost:<3} {one.flaw.value}: {', '.join(one.nodes)}{about}")
    return "\n".join(lines)
