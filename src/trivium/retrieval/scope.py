"""One scope of a profile -> its entries in order: retrieve, fuse, boost, group, cut, spread.

A scope is a set of kinds that are ranked together, by term statistics of their own. Called by
the engine, once for each scope that the filters leave.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from trivium.analysis.keywords import is_programmed_in
from trivium.analysis.scripts import read_in_english
from trivium.analysis.words import analyser
from trivium.backends.base import Snapshot
from trivium.filtering.conditions import Condition, Filter, Test
from trivium.query.grammar import NOTHING, Query
from trivium.query.intent import is_name, names_in
from trivium.ranking import boost, cut, fuse
from trivium.ranking.features import wanted
from trivium.ranking.learned import with_signs
from trivium.ranking.profile import Fusion, Profile, Scope
from trivium.ranking.signals import linked, prepared
from trivium.retrieval.boosts import Details, boosted
from trivium.retrieval.files import files_of
from trivium.retrieval.gather import INSTANT, Asking, gather, with_instant, without_proxies
from trivium.retrieval.spreading import Seeding, spread_from
from trivium.types import ChunkId, Degraded, Gathered, Kind, NodeId, Part, Scored, View

_NUMBERED = re.compile(r"~\d+$")
# Stores keep 32-bit floats: what reaches a least score exactly may lie this share below it.
_ROUNDING = 1e-6
# And what is added up to nothing, this much.
_HAIR = 1e-12
# Models that know no other letters: of a query in Japanese they see little but its English words.
_READ_ENGLISH = ("static", "minilm")
# So many of the best of each retriever tell whether code or prose is asked for.
_LOOKED_AT = 10
_CODE = f"{Kind.CODE}:"
# Of a file or a record someone may say that it is code.
_MAY_BE_CODE = (f"{Kind.FILE}:", f"{Kind.RECORD}:")


@dataclass(slots=True)
class Ranked:
    """The entries of one scope, what they were made of, and what boosts saw in them."""

    scope: Scope
    view: View
    query: Query
    gathered: Gathered
    groups: list[cut.Group]
    score_type: str
    details: Details = field(default_factory=dict)


def where_of(scope: Scope, where: Filter) -> Filter | None:
    """Return the filter of a scope; None if none of its kinds is asked for."""
    kinds = scope.view.kinds
    if kinds is None:
        return where
    asked = [
        one.values for one in where.conditions if one.field == "kind" and one.test is Test.EQUALS
    ]
    wanted = frozenset(kinds).intersection(*asked)
    if not wanted:
        return None
    return where & Filter((Condition("kind", Test.EQUALS, wanted),))


def rank_scope(
    snapshot: Snapshot,
    query: Query,
    *,
    scope: Scope,
    asking: Asking,
    profile: Profile,
    seeding: Seeding,
    least: float | None,
) -> Ranked:
    """Rank what one scope holds."""
    gathered = gather(snapshot, query, asking=asking)
    said = weights_of(snapshot, gathered, profile.fusion, query, view=asking.view)
    weights = as_read(said, gathered, profile.fusion, query)
    if said.get("vectors") and not weights.get("vectors"):
        unread = f"{gathered.embedder} knows English; words alone rank this query"
        gathered = replace(gathered, degraded=(*gathered.degraded, Degraded("vectors", unread)))
    # Only here: in prose it has no weight, and its table need not be read.
    if weights.get(INSTANT):
        gathered = with_instant(snapshot, query, gathered, asking=asking)
    fused, score_type, details = _fused(snapshot, gathered, profile, weights)
    made = boosted(snapshot, fused, query, boosts=profile.boosts, text=snapshot.text(asking.view))
    for one, seen in made.details.items():
        details.setdefault(one, {}).update(seen)
    named = names_in(query.meaning) if profile.boosts.name else frozenset()
    scored = boost.exact_names(
        made.scored,
        names=names_of(made.scored) if named else {},
        wanted=named,
        gain=profile.boosts.name,
    )
    scored = boost.called(scored, nodes=gathered.called, gain=profile.boosts.called)
    learned = profile.learned
    files = {}
    if learned.weights or profile.group == "file":
        files = files_of(snapshot, [one.chunk_id for one in scored])
    # Weights are counted in scores of the blend: fused by ranks, there is nothing to add them to.
    if learned.weights and files and score_type == "blend":
        asked = wanted(query.meaning)
        if is_by_slower(gathered) and weights.get("vectors"):
            learned = learned.times(learned.slower)
        scored = with_signs(scored, files=files, asked=asked, learned=learned)
    if profile.fusion.order == "rrf":
        scored = _in_order_of(scored, fuse.rrf(gathered.rankings, k=profile.fusion.k))
    groups = _grouped(scored, profile, files)
    enough = 0.0 if least is None else enough_for(least)
    if least is not None:
        groups = [group for group in groups if group.best.score >= enough]
    if profile.expansion.method == "spread":
        groups = spread_from(snapshot, groups, asking, seeding, details, least=enough)
    return Ranked(scope, asking.view, query, gathered, groups, score_type, details)


def enough_for(least: float) -> float:
    """Return the score that passes for `least`: what only rounding keeps below it is enough."""
    return least - max(_ROUNDING * abs(least), _HAIR)


def _grouped(
    scored: Sequence[Scored], profile: Profile, files: Mapping[ChunkId, str]
) -> list[cut.Group]:
    """Make entries of chunks: one for each of them, for each node, or for each file of code."""
    if profile.group == "none":
        return cut.ungrouped(scored)
    is_by_score = profile.fusion.order == "score"
    nodes = cut.by_node(scored) if is_by_score else cut.by_node_as_they_come(scored)
    if profile.group == "file":
        return cut.by_file(nodes, files=files)
    if not is_by_score:
        return nodes
    return boost.same_file(nodes, gain=profile.boosts.file, again=profile.boosts.again)


def rank_by_degree(snapshot: Snapshot, scope: Scope, where: Filter, profile: Profile) -> Ranked:
    """Rank the nodes of a scope by how well linked they are: what an empty query shows."""
    found = without_proxies(snapshot.most_linked(where=where, depth=profile.retrieval.depth))
    weight = profile.fusion.weights.get("degree", 1.0)
    degrees = dict(zip(found.ids, found.scores, strict=True))
    gains = {one: weight * linked(int(degree)) for one, degree in degrees.items()}
    details: Details = {
        one: {"degree": {"degree": int(degrees[one]), "boost": gain}} for one, gain in gains.items()
    }
    gathered = Gathered((found,), found.ids, {"degree": degrees}, "none", ())
    # In the order of degrees: beyond 20 edges the score no longer tells them apart.
    groups = cut.ungrouped([Scored(one, (Part("degree", gain),)) for one, gain in gains.items()])
    query = Query("", root=NOTHING, meaning="")
    return Ranked(scope, scope.view, query, gathered, groups, "degree", details)


def _fused(
    snapshot: Snapshot, gathered: Gathered, profile: Profile, weights: Mapping[str, float]
) -> tuple[list[Scored], str, Details]:
    """Return the candidates with their scores, how these were made, and what degrees said."""
    fusion = profile.fusion
    found = [ranking for ranking in gathered.rankings if ranking.ids]
    details: Details = {}
    if fusion.alone == "score" and len(found) == 1:
        alone = fuse.as_score(found[0])
        if fusion.scale == "best" and found[0].name == "text":
            alone = fuse.shared_out(alone)
        return alone, _type_alone(found[0].name, profile), details
    by_rank = fusion.method == "rrf" or (fusion.method == "zscore" and not gathered.has_all_scores)
    if by_rank and fusion.scale == "best" and len(gathered.rankings) == 1:
        # Seed 003: words alone are shared out by their best, meaning alone stays a cosine.
        alone = fuse.as_score(gathered.rankings[0])
        is_words = gathered.rankings[0].name == "text"
        return (fuse.shared_out(alone), "bm25", details) if is_words else (alone, "ann", details)
    if by_rank:
        scored = fuse.rrf(gathered.rankings, k=fusion.k, weights=weights)
        return (
            fuse.shared_out(scored) if fusion.scale == "best" else scored,
            "rrf",
            details,
        )
    signals = prepared(gathered.signals, retrieval=profile.retrieval, fusion=fusion)
    if weights.get("degree"):
        signals["degree"] = _degrees(snapshot, gathered.pool, weights["degree"], details)
    if fusion.method == "zscore":
        return (
            fuse.zscore(candidates(gathered, weights), signals, weights=weights),
            "blend",
            details,
        )
    if fusion.method == "blend":
        renormalises = fusion.missing == "renormalise"
        scored = fuse.blend(gathered.pool, signals, weights=weights, renormalises=renormalises)
        return scored, "blend", details
    return fuse.weighted(gathered.pool, signals, weights=weights), "weighted", details


def weights_of(
    snapshot: Snapshot, gathered: Gathered, fusion: Fusion, query: Query, *, view: View
) -> Mapping[str, float]:
    """Return the weights of signals: of a name; else between those of prose and of code."""
    asks_sort = bool(fusion.code_weights or fusion.instant_code_weights)
    code = share_of_code(snapshot, gathered) if asks_sort else 0.0
    return weights_by(gathered, fusion, query, view=view, code=code)


def weights_by(
    gathered: Gathered, fusion: Fusion, query: Query, *, view: View, code: float
) -> Mapping[str, float]:
    """Return the weights where so much of the best is `code`.

    Those of words then follow how much of the query they found.
    """
    if fusion.name_weights and (gathered.called or is_name(query.meaning)):
        return fusion.name_weights
    weights = _weights_by_sort(gathered, fusion, code)
    words = next((one for one in gathered.rankings if one.name == "text" and one.ids), None)
    if not fusion.match_usual or words is None or len(gathered.rankings) == 1:
        return weights
    return fuse.by_match(
        weights,
        best=max(words.scores),
        terms=terms_of(query, view),
        usual=fusion.match_usual,
        power=fusion.match_power,
    )


def terms_of(query: Query, view: View) -> int:
    """Return how many different terms a query has."""
    return len(set(analyser(view.analyser).words(query.meaning)))


def _weights_by_sort(gathered: Gathered, fusion: Fusion, code: float) -> Mapping[str, float]:
    """Return the weights of prose and of code, mixed by how much of the best is code."""
    weights, in_code = fusion.weights, fusion.code_weights
    if gathered.is_instant and fusion.instant_weights:
        weights, in_code = fusion.instant_weights, fusion.instant_code_weights
    if not in_code or len(gathered.rankings) == 1:
        return weights
    names = sorted({*weights, *in_code})
    return {one: (1 - code) * weights.get(one, 0.0) + code * in_code.get(one, 0.0) for one in names}


def as_read(
    weights: Mapping[str, float], gathered: Gathered, fusion: Fusion, query: Query
) -> Mapping[str, float]:
    """Trust vectors as far as their model reads the query; as before where words find nothing.

    The instant model reads English, whatever is read by the one that it stands beside.
    """
    has_words = any(one.name == "text" and one.ids for one in gathered.rankings)
    is_english = gathered.embedder in _READ_ENGLISH
    if fusion.method != "zscore" or (is_english and not has_words):
        return weights
    lessened = [name for name in ("vectors", INSTANT) if is_english or name == INSTANT]
    return {
        name: weight * read_in_english(query.meaning) if name in lessened else weight
        for name, weight in weights.items()
    }


def trust_in(embedder: str, query: Query) -> float:
    """Return how far a model reads a query, 0 to 1."""
    return read_in_english(query.meaning) if embedder in _READ_ENGLISH else 1.0


def is_by_slower(gathered: Gathered) -> bool:
    """Say whether a slower model than the instant one gave meaning."""
    return "vectors" in gathered.signals and not gathered.is_instant


def candidates(gathered: Gathered, weights: Mapping[str, float]) -> Sequence[ChunkId]:
    """Return what was found by a retriever that has a say: others would stretch the scores."""
    silent = [one for one in gathered.rankings if not weights.get(one.name)]
    if not silent or len(silent) == len(gathered.rankings):
        return gathered.pool
    found = {one for each in gathered.rankings if each not in silent for one in each.ids}
    return tuple(sorted(found))


def share_of_code(snapshot: Snapshot, gathered: Gathered) -> float:
    """Return how much of the best of each retriever is code, 0 to 1."""
    best = [NodeId(cut.node_of(one)) for each in gathered.rankings for one in each.ids[:_LOOKED_AT]]
    # An id starts with the kind of its node: most need not be read.
    unclear = [one for one in best if one.startswith(_MAY_BE_CODE)]
    nodes = snapshot.nodes(list(dict.fromkeys(unclear))) if unclear else {}
    code = sum(one.startswith(_CODE) for one in best)
    code += sum(is_programmed_in(nodes[one].language) for one in unclear if one in nodes)
    return code / len(best) if best else 0.0


def _type_alone(name: str, profile: Profile) -> str:
    if name == "vectors":
        return "ann"
    return "bm25-fielded" if profile.view.combine == "sum" else "bm25"


def _degrees(
    snapshot: Snapshot, pool: Sequence[ChunkId], weight: float, details: Details
) -> dict[ChunkId, float]:
    of_node = {one: NodeId(cut.node_of(one)) for one in pool}
    degrees = snapshot.degrees(list(dict.fromkeys(of_node.values())))
    for one, node_id in of_node.items():
        degree = degrees.get(node_id, 0)
        details.setdefault(one, {})["degree"] = {"degree": degree, "boost": weight * linked(degree)}
    return {one: linked(degrees.get(node_id, 0)) for one, node_id in of_node.items()}


def _in_order_of(scored: Sequence[Scored], order: Sequence[Scored]) -> list[Scored]:
    """Put candidates into another order and keep their scores."""
    by_id = {one.chunk_id: one for one in scored}
    return [by_id[one.chunk_id] for one in order if one.chunk_id in by_id]


def names_of(scored: Sequence[Scored]) -> Mapping[ChunkId, str]:
    """Return the name each chunk's node has in its id: what follows the last # or /.

    The ~2 of an overload is no part of its name.
    """
    return {
        one.chunk_id: _NUMBERED.sub("", re.split("[#/]", cut.node_of(one.chunk_id))[-1])
        for one in scored
    }
