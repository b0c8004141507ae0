"""An audit that can be drawn: what `recloak.audit` and `recloak.publish` give."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Self

from recloak.evaluation import findings, notebook_tables
from recloak.evaluation.notebook_tables import StatusMark
from recloak.report.charts import charts_of
from recloak.report.charts.pictures import Pictures
from recloak.report.wording.glance import at_a_glance


@dataclass(frozen=True, repr=False)
class Audit(findings.Audit):
    """All that was found out about one release; `recloak.audit` makes one.

    ``release`` and ``original`` hold facts about the two, ``verdicts`` whether claims hold,
    ``attacks`` and ``measures`` what was found, ``policy_results`` each line of the policy after
    that. ``enforced`` says that the policy had to pass, ``versions`` has the libraries that the
    figures came from, ``data`` what the original is called, ``date`` the day of the audit and
    ``policy_digest`` that of the policy's content. `to_frame` gives the figures as rows and `plot`
    the charts; a notebook shows the verdict first.

    Examples
    --------
    >>> import recloak
    >>> from recloak.evaluation.findings import Verdict
    >>> verdict = Verdict("k-anonymity:k=5", "broken", "")
    >>> found = recloak.Audit("a release", {}, {}, verdicts=(verdict,))
    >>> found.status
    'fail'
    >>> found
    Audit of a release: fail
      claim k-anonymity:k=5: broken
    >>> found.to_frame()["figure"].to_list()
    ['holds']
    """

    @classmethod
    def of(cls, found: findings.Audit) -> Self:
        """The same audit, as one that can be drawn."""
        return cls(**{one.name: getattr(found, one.name) for one in fields(found)})

    def plot(self, like: str = "") -> Pictures:
        """The charts of the report: what attackers get, and what is left to use.

        Parameters
        ----------
        like
            Only those whose titles hold this text, in small or capital letters.

        Returns
        -------
        Pictures
            Shown in a notebook as they are; ``pictures.save(folder)`` writes SVG files.

        """
        return Pictures.of(charts_of(self), like)

    def _repr_html_(self) -> str:
        judged = [
            (result.line, StatusMark.of(result.status), result.found)
            for result in self.policy_results
        ]
        claims = [(one.claim, StatusMark.of(one.status), one.how) for one in self.verdicts]
        title = f"Audit of {self.title}{f', {self.data}' if self.data else ''}"
        shown = notebook_tables.table(title, at_a_glance(self), mark=StatusMark.of(self.status))
        lines = [("claims", claims), (f"policy: {self.policy}", judged)]
        return shown + "".join(
            notebook_tables.folded(f"{name} ({len(rows)})", notebook_tables.table(name, rows))
            for name, rows in lines
            if rows
        )
