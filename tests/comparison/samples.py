"""Small protocols and made-up cells: what is tested is the comparing, not the attacks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from recloak.attacks import attack
from recloak.auditing.policy import Policy, Requirement
from recloak.comparison.protocol import Protocol
from recloak.comparison.run import Comparison
from recloak.comparison.settings import Setting
from recloak.comparison.trials import Trial
from recloak.evaluation.findings import Audit, Figure, Finding, Verdict

SMALL = Protocol(
    attacks=(
        "record-linkage:known=4,values=true,targets=1000,repeats=4,oracle=no",
        "scoreboard-rh:known=5,upto=0,wrong=0.0,popular=0,width=0.02,at_least=300,"
        "matching=strongest,identical=strongest,days=0.0,phi=1.5",
    ),
    measures=("tailoring-utility:recommender=factorization,recombine=true",),
)
CONTROLLED = {
    "singled_out": "bayes-linkage:known=8",
    "membership": "membership:known=0",
    "excess": "inference:known=20",
    "excess_worst_tenth": "inference:known=20",
}
LINKED = Policy(
    "Test policy",
    (Requirement(attack="record-linkage:known=4", figure="success", at_most=0.5),),
)


def trial(
    name: str,
    *,
    success: float | None = 0.5,
    gain: float = 3.0,
    mu: float | None = 0.1,
    controlled: Mapping[str, float] | None = None,
    newcomers: float | None = None,
    half: float = 0.01,
    broken: bool = False,
    caveat: str = "",
    found_by: Mapping[str, float] | None = None,
    **given: Any,
) -> Trial:
    """A cell with these figures, each with an interval of ``half`` to either side.

    ``found_by`` is the success of further attacks; ``controlled`` are risks less their control, by
    the name of the figure; ``newcomers`` is the use to people who are not in the release.
    """

    def figure(called: str, value: float, unit: Any = "share") -> Figure:
        return Figure(called, value, value - half, value + half, unit)

    found = [] if success is None else [figure("success", success), figure("gain", gain, "count")]
    useful = [] if mu is None else [figure("mu", mu)]
    attacked = _attacked("record-linkage:known=4", tuple(found))
    measured = Finding("measure", "tailoring-utility", {}, "", "mu", tuple(useful), 10, 0)
    verdict = Verdict("k-anonymity:k=5,values=true", "broken" if broken else "holds", "counted")
    more = [
        _attacked(spec, (figure("success", share),)) for spec, share in (found_by or {}).items()
    ]
    risks: dict[str, list[Figure]] = {}
    for risk, value in (controlled or {}).items():  # an attack tells all of its figures at once
        risks.setdefault(CONTROLLED[risk], []).append(figure(risk, value))
    more += [_attacked(spec, tuple(figures)) for spec, figures in risks.items()]
    measures = [measured]
    if newcomers is not None:
        served = (figure("fold_in_mu", newcomers), figure("fold_in_ndcg", newcomers / 2))
        measures.append(Finding("measure", "fold-in", {}, "", "newcomers", served, 10, 0))
    audit = Audit(
        name,
        {},
        {},
        verdicts=(verdict,),
        attacks=(attacked, *more),
        measures=tuple(measures),
    )
    return Trial(Setting(name, given), audit, caveat=caveat)


def _attacked(spec: str, figures: tuple[Figure, ...]) -> Finding:
    run = attack(spec)
    return Finding("attack", run.name, run.parameters.public(), "", run.label, figures, 10, 0)


def compared(*trials: Trial) -> Comparison:
    facts = {"users": 10, "items": 5, "ratings": 30, "scale": "1..5", "density": 0.6}
    return Comparison(tuple(trials), facts, "digest", SMALL, LINKED, {"recloak": "test"})
