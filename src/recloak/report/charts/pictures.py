"""Pictures: charts as a notebook shows them, and as files."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Self

from recloak.core.errors import ParameterError
from recloak.core.files import write_whole
from recloak.evaluation.formatting import printable
from recloak.report.charts.alone import DARK, MORE_STYLE, alone
from recloak.report.charts.chart import Chart


@dataclass(frozen=True, repr=False)
class Pictures:
    """Charts in the order of reading; each stands alone, for light and dark pages.

    In a notebook they show themselves, with their numbers below for those who cannot see them.
    """

    charts: tuple[Chart, ...]

    @classmethod
    def of(cls, charts: Sequence[Chart], like: str = "") -> Self:
        """Those whose titles hold the text; `ParameterError` names the titles if none does."""
        chosen = tuple(one for one in charts if like.lower() in one.title.lower())
        if like and not chosen:
            titles = "; ".join(one.title for one in charts) or "none"
            raise ParameterError(
                f"no chart has a title like '{like}'", where="plot", hint=f"There are: {titles}."
            )
        return cls(chosen)

    def __len__(self) -> int:
        return len(self.charts)

    def __iter__(self) -> Iterator[Chart]:
        return iter(self.charts)

    def __repr__(self) -> str:
        return "\n".join(["Pictures:", *(f"  {one.title}" for one in self.charts)])

    def svg(self, chart: Chart) -> str:
        """One of them as the text of an SVG file."""
        several = len(chart.legend) > 1
        names = chart.legend if several else ()
        return alone(chart.svg, names, chart.styles if several else (), MORE_STYLE + DARK)

    def save(self, folder: str | Path) -> list[Path]:
        """Write each as an SVG file into a folder; files of the same name are replaced."""
        place = Path(folder)
        place.mkdir(parents=True, exist_ok=True)
        paths = [place / f"{one.identity}.svg" for one in self.charts]
        for path, one in zip(paths, self.charts, strict=True):
            write_whole(path, self.svg(one).encode(), overwrite=True)
        return paths

    def _repr_html_(self) -> str:
        shown = "".join(map(self._figure, self.charts))
        return f'<div style="display:flex;flex-wrap:wrap;gap:1.5em">{shown}</div>'

    def _figure(self, chart: Chart) -> str:
        packed = b64encode(self.svg(chart).encode()).decode()
        title, description = (escape(printable(text)) for text in (chart.title, chart.description))
        head, *rows = (chart.table.columns, *chart.table.rows)
        cells = "".join(
            "<tr>" + "".join(f"<td>{escape(printable(cell))}</td>" for cell in row) + "</tr>"
            for row in rows
        )
        names = "".join(f'<th scope="col">{escape(printable(name))}</th>' for name in head)
        return (
            f'<figure style="margin:0;flex:1 1 26em;max-width:40em"><figcaption><b>{title}</b><br>'
            f'{description}</figcaption><img alt="{title}. {description}" style="width:100%" '
            f'src="data:image/svg+xml;base64,{packed}"><details><summary>The numbers as a table'
            f"</summary><table><tr>{names}</tr>{cells}</table></details></figure>"
        )
