"""Where nothing fits: which limit to relax, by how much, and what that buys."""

from __future__ import annotations

from recloak.auditing.policy import Requirement
from recloak.comparison.advising import decided
from recloak.comparison.protocol import Protocol
from recloak.comparison.relaxing import Relaxation
from recloak.comparison.requirements import Objective, judge, parse_requirement
from recloak.comparison.sampling import every_other
from recloak.comparison.settings import Setting
from recloak.evaluation.findings import Figure
from tests.comparison.samples import compared, trial

MU = Objective("mu")
SHY = parse_requirement("success<=0.2", Protocol.usual())
USEFUL = parse_requirement("mu>=0.3", Protocol.usual())


def test_the_least_move_of_each_limit_and_what_it_buys() -> None:
    trials = [
        trial("pseudonymize", success=0.9, mu=0.5),
        trial("predictive", success=0.4, mu=0.4, k=3),
        trial("microaggregation", success=0.1, mu=0.2, k=3),
    ]
    found = decided(compared(*trials), MU, [SHY, USEFUL]).relaxations
    moved = {str(one.limits[0][0]): one for one in found}
    assert moved["success<=0.2"].setting == "predictive:k=3"
    assert moved["mu>=0.3"].setting == "microaggregation:k=3"
    assert "Relax 'success<=0.2' to 0." in str(moved["success<=0.2"])


def test_the_limit_that_is_named_lets_the_setting_in() -> None:
    trials = [trial("predictive", success=0.4, mu=0.4, k=3)]
    ((moved,),) = (one.limits for one in decided(compared(*trials), MU, [SHY]).relaxations)
    requirement, limit = moved
    relaxed = parse_requirement(f"success<={limit}", Protocol.usual())
    assert judge(requirement, trials[0]).status == "fail"
    assert judge(relaxed, trials[0]).status == "pass"


def test_of_what_a_move_lets_in_the_best_is_named() -> None:
    trials = [
        trial("predictive", success=0.4, mu=0.1, k=3),
        trial("predictive", success=0.4, mu=0.3, k=5),
    ]
    (found,) = decided(compared(*trials), MU, [SHY]).relaxations
    assert found.setting == "predictive:k=5"


def test_several_limits_move_together_where_one_does_not_do() -> None:
    trials = [trial("predictive", success=0.4, mu=0.1, k=3)]
    (found,) = decided(compared(*trials), MU, [SHY, USEFUL]).relaxations
    assert [str(one) for one, _ in found.limits] == ["success<=0.2", "mu>=0.3"]


def test_nothing_is_to_be_relaxed_where_something_fits() -> None:
    assert decided(compared(trial("predictive", success=0.1)), MU, [SHY]).relaxations == ()


def test_every_other_setting_of_each_family() -> None:
    settings = [Setting("microaggregation", {"k": k}) for k in (3, 5, 10)]
    settings += [Setting("pseudonymize", {})]
    names = [one.label for one in every_other(settings)]
    assert names == ["microaggregation:k=3", "microaggregation:k=10", "pseudonymize"]


def test_a_notebook_shows_advice_in_a_few_lines() -> None:
    risky, shy = trial("predictive", success=0.4, mu=0.4, k=3), trial("pseudonymize", success=0.1)
    nothing = decided(compared(risky), MU, [SHY])
    assert repr(nothing).splitlines()[0] == "Nothing satisfies the requirements"
    assert "Relax 'success<=0.2' to 0." in repr(nothing)
    assert len(repr(nothing).splitlines()) == 3
    page = nothing._repr_html_()
    assert "✘ fail" in page
    assert "success&lt;=0.2" in page
    advised = decided(compared(risky, shy), MU, [SHY])
    assert repr(advised).startswith("Advice: pseudonymize\n")
    assert "✔ pass" in advised._repr_html_()


def test_lines_of_a_policy_are_relaxed_in_their_own_words() -> None:
    """As the report shows them; what somebody wrote in a few words stays as it was written."""
    line = Requirement(attack="record-linkage:known=4", figure="success", at_most=0.2)
    moved = Relaxation(((line, 0.129),), "predictive:k=3", "mu", Figure("mu", 0.4))
    assert str(moved).startswith(
        "Relax 'record-linkage, knows 4 ratings: success at most 20%' to 12.9%: predictive:k=3"
    )
    assert "with tailoring utility 40.0%." in str(moved)
    written = Relaxation(((SHY, 0.3),), "predictive:k=3", "mu", Figure("mu", 0.4))
    assert str(written).startswith("Relax 'success<=0.2' to 0.3:")
