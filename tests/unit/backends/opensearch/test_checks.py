import httpx
import pytest

from trivium.backends.opensearch.checks import check, problems, short_of_space, summary
from trivium.backends.opensearch.client import Client
from trivium.backends.opensearch.said import Json
from trivium.errors import BackendRefused

_NODE = {"name": "n1", "roles": ["data"], "plugins": [{"name": "opensearch-knn"}]}
_SOUND: dict[str, Json] = {
    "/": {"version": {"distribution": "opensearch", "number": "2.19.1"}},
    "/_nodes/plugins": {"nodes": {"a": _NODE}},
    "/_cluster/health": {"status": "yellow", "number_of_data_nodes": 1},
    "/_cluster/state/blocks": {},
}


def _cluster(**changed: Json) -> Client:
    answers = {**_SOUND, **{path.replace("__", "/"): one for path, one in changed.items()}}
    transport = httpx.MockTransport(
        lambda request: httpx.Response(200, json=answers[request.url.path])
    )
    return Client(["http://one"], transport=transport)


def test_a_sound_cluster_has_no_problems() -> None:
    assert list(problems(_cluster())) == []


@pytest.mark.parametrize("number", ["2.11.0", "1.3.20", "3.0.0", ""])
def test_a_version_that_scores_otherwise_is_refused(number: str) -> None:
    about = {"version": {"distribution": "opensearch", "number": number}}

    with pytest.raises(BackendRefused, match=r"from 2\.19 up"):
        check(_cluster(__=about))


def test_another_product_is_not_taken_for_one() -> None:
    with pytest.raises(BackendRefused, match="no OpenSearch"):
        check(_cluster(__={"version": {"number": "8.1.0"}}))


def test_a_node_without_the_plugin_is_named() -> None:
    nodes = {"a": _NODE, "b": {"name": "n2", "roles": ["data"]}, "c": {"name": "n3", "roles": []}}

    found = list(problems(_cluster(___nodes__plugins={"nodes": nodes})))

    assert len(found) == 1
    assert "n2" in found[0]


def test_a_red_cluster_and_a_block_are_told() -> None:
    health = {"status": "red", "number_of_data_nodes": 2}
    blocks = {"blocks": {"global": {"10": {"description": "cluster create-index blocked"}}}}

    found = list(problems(_cluster(___cluster__health=health, ___cluster__state__blocks=blocks)))

    assert ["red" in found[0], "create-index blocked" in found[1]] == [True, True]


_GIGABYTE = 1024**3


def _disk(free: int, **marks: str) -> Client:
    prefix = "cluster.routing.allocation.disk"
    settings = {
        f"{prefix}.{name.replace('__', '.')}": value
        for name, value in {
            "watermark__low": "85%",
            "watermark__high": "90%",
            "watermark__flood_stage": "95%",
            **marks,
        }.items()
    }
    space = {"total_in_bytes": 100 * _GIGABYTE, "available_in_bytes": free * _GIGABYTE}
    return _cluster(
        ___cluster__settings={"defaults": settings},
        ___nodes__stats__fs={"nodes": {"a": {"name": "n1", "fs": {"total": space}}}},
    )


@pytest.mark.parametrize(
    ("free", "told"), [(16, ""), (14, "low"), (9, "high"), (4, "flood_stage"), (0, "flood_stage")]
)
def test_a_disk_is_told_by_the_worst_watermark_it_is_over(free: int, told: str) -> None:
    found = list(short_of_space(_disk(free)))

    assert [f"watermark {told} (" in one and "n1" in one for one in found] == [True] * bool(told)


@pytest.mark.parametrize(("mark", "is_over"), [("20gb", True), ("10gb", False), ("0.8", True)])
def test_a_watermark_may_be_bytes_that_are_to_be_free_or_a_share(mark: str, is_over: bool) -> None:
    found = list(short_of_space(_disk(14, watermark__low=mark)))

    assert bool(found) is is_over


def test_a_cluster_that_looks_at_no_disk_is_short_of_none() -> None:
    assert list(short_of_space(_disk(0, threshold_enabled="false"))) == []


def test_a_cluster_is_summed_up_in_a_line() -> None:
    assert summary(_cluster()) == "OpenSearch 2.19.1, 1 node, yellow"
