"""Fused candidates -> the same with the boosts of a profile, and what each boost saw.

Asks the store for what a rule needs: nodes for symbols and relations, the text index for
phrases. In this order: phrase, symbol, relation, skills, kinds. Called by the engine.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from trivium.analysis.chargrams import likeness
from trivium.backends.base import Snapshot, TextIndex
from trivium.query.grammar import Phrase, Query, phrases
from trivium.ranking import boost
from trivium.ranking.cut import node_of
from trivium.ranking.profile import Boosts
from trivium.types import ChunkId, Kind, Node, NodeId, Scored

# A name that shares less with the query is another name.
_NEARLY = 0.5
_SKILL = f"{Kind.SKILL}:"

Details = dict[ChunkId, dict[str, object]]


@dataclass(slots=True)
class Boosted:
    """Scored candidates, and for the explanation what each rule saw in them."""

    scored: list[Scored]
    details: Details = field(default_factory=dict)


def boosted(
    snapshot: Snapshot, scored: Sequence[Scored], query: Query, *, boosts: Boosts, text: TextIndex
) -> Boosted:
    """Apply the rules a profile has switched on."""
    made = Boosted(list(scored))
    if boosts.phrase:
        _phrases(made, query, boosts, text)
    asks_for_nodes = (
        boosts.definition != 1 or boosts.export != 1 or boosts.chargram or boosts.call or boosts.use
    )
    nodes = _nodes(snapshot, made.scored) if asks_for_nodes else {}
    if boosts.chargram:
        _nearly_named(made, query, boosts, nodes)
    if boosts.definition != 1 or boosts.export != 1:
        _symbols(made, boosts, nodes)
    if boosts.call or boosts.use:
        _relations(made, query, boosts, nodes)
    if boosts.usage or boosts.confidence:
        _skills(snapshot, made, boosts)
    if boosts.kinds:
        _kinds(made, boosts)
    return made


def _nodes(snapshot: Snapshot, scored: Sequence[Scored]) -> dict[ChunkId, Node]:
    of_chunk = {one.chunk_id: NodeId(node_of(one.chunk_id)) for one in scored}
    nodes = snapshot.nodes(list(dict.fromkeys(of_chunk.values())))
    return {one: nodes[node_id] for one, node_id in of_chunk.items() if node_id in nodes}


def _noted(
    made: Boosted,
    key: str,
    rule: str,
    apply: Callable[..., list[Scored]],
    seen: Mapping[ChunkId, dict[str, object]],
    **given: Mapping[ChunkId, float],
) -> None:
    """Apply a rule and note what it saw, with the amount it added."""
    before = {one.chunk_id: one.score for one in made.scored}
    made.scored = apply(made.scored, name=rule, **given)
    after = {one.chunk_id: one.score for one in made.scored}
    for one, facts in seen.items():
        known = made.details.setdefault(one, {}).get(key)
        added = {**facts, "boost": after[one] - before[one]}
        both = {**known, **added} if isinstance(known, dict) else added
        made.details[one][key] = both


def _phrases(made: Boosted, query: Query, boosts: Boosts, text: TextIndex) -> None:
    wanted = phrases(query)
    if not wanted:
        return
    ids = [one.chunk_id for one in made.scored]
    matches = dict.fromkeys(ids, 0)
    for phrase in wanted:
        for one, score in text.score(replace(query, root=Phrase(phrase)), ids).items():
            matches[one] += score > 0
    factors = {one: boost.phrase_factor(count, boosts) for one, count in matches.items() if count}
    seen: Details = {
        one: {"matches": matches[one], "factor": factor} for one, factor in factors.items()
    }
    _noted(made, "phrase", "phrase", boost.by_factor, seen, factors=factors)


def _nearly_named(
    made: Boosted, query: Query, boosts: Boosts, nodes: Mapping[ChunkId, Node]
) -> None:
    alike = {one: likeness(query.meaning, node.name) for one, node in nodes.items()}
    factors = {one: 1 + boosts.chargram * share for one, share in alike.items() if share >= _NEARLY}
    seen: Details = {
        one: {"chargram": alike[one], "chargramFactor": factor} for one, factor in factors.items()
    }
    _noted(made, "phrase", "name is nearly the query", boost.by_factor, seen, factors=factors)


def _symbols(made: Boosted, boosts: Boosts, nodes: Mapping[ChunkId, Node]) -> None:
    found = {one: boost.symbol_factor(node, boosts) for one, node in nodes.items()}
    found = {one: symbol for one, symbol in found.items() if symbol.factor != 1}
    seen: Details = {
        one: {"definition": symbol.definition, "export": symbol.export, "factor": symbol.factor}
        for one, symbol in found.items()
    }
    factors = {one: symbol.factor for one, symbol in found.items()}
    _noted(made, "symbol", "symbol", boost.by_factor, seen, factors=factors)


def _relations(made: Boosted, query: Query, boosts: Boosts, nodes: Mapping[ChunkId, Node]) -> None:
    words = frozenset(query.meaning.lower().split())
    found = {one: boost.related(node, words, boosts) for one, node in nodes.items()}
    found = {one: relation for one, relation in found.items() if relation.gain}
    seen: Details = {
        one: {"calls": relation.calls, "uses": relation.uses} for one, relation in found.items()
    }
    gains = {one: relation.gain for one, relation in found.items()}
    _noted(made, "relation", "relation", boost.by_gain, seen, gains=gains)


def _kinds(made: Boosted, boosts: Boosts) -> None:
    kinds = {one.chunk_id: one.chunk_id.partition(":")[0] for one in made.scored}
    gains = {one: boosts.kinds.get(kind, 0.0) for one, kind in kinds.items()}
    made.scored = boost.by_gain(made.scored, gains=gains, name="what kind it is")


def _skills(snapshot: Snapshot, made: Boosted, boosts: Boosts) -> None:
    skills = [one for one in made.scored if one.chunk_id.startswith(_SKILL)]
    if skills:
        nodes = _nodes(snapshot, skills)
        gains = {one: boost.proven(node, boosts) for one, node in nodes.items()}
        made.scored = boost.by_gain(made.scored, gains=gains, name="how a skill has proved")
