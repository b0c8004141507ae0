"""A picture by itself, for a file or a notebook: with its own style and legend."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree.ElementTree import Element, SubElement, fromstring

from recloak.report.charts import svg as draw

LEGEND_LINE = 20
LETTER = 7  # about the width of one, in units of the picture
STYLE = """
svg { background: #fff; --ink: #1c2733; --muted: #526070; --rule: #dde3ea; --card: #fff; }
text { fill: var(--ink); font: 12.5px system-ui, sans-serif; }
.tick, .axis-name { fill: var(--muted); }
.middle { text-anchor: middle; } .end { text-anchor: end; }
.grid { stroke: var(--rule); } .axis { stroke: var(--muted); } .whisker { stroke: var(--ink); }
.series-1 { --line: #1f5fa8; } .series-2 { --line: #b9480e; } .series-3 { --line: #0c756b; }
.series-4 { --line: #7440b8; } .series-5 { --line: #8a6100; } .series-6 { --line: #ad2566; }
.series-7 { --line: #4d5d6c; } .series-8 { --line: #4f6b00; }
.line { fill: none; stroke: var(--line); stroke-width: 2; }
.line.series-2, .line.series-5, .line.series-8 { stroke-dasharray: 7 4; }
.line.series-3, .line.series-6 { stroke-dasharray: 2 3; }
.marker { fill: var(--line); stroke: var(--card); } .bar { fill: var(--line); }
.band { fill: var(--line); fill-opacity: .16; }
"""
MORE_STYLE = """
.line.full { stroke-dasharray: none; } .line.dashed { stroke-dasharray: 7 4; }
.neutral { --line: var(--ink); }
.marker.dashed { fill: var(--card); stroke: var(--line); stroke-width: 1.5; }
"""
DARK = """
@media (prefers-color-scheme: dark) {
  svg { background: #1c1f25; --ink: #e9e6e0; --muted: #aab0b9; --rule: #3a3f48; --card: #1c1f25; }
  .series-1 { --line: #7eb4f5; } .series-2 { --line: #ffa06a; } .series-3 { --line: #55cfbf; }
  .series-4 { --line: #c4a5ff; } .series-5 { --line: #e3bd5a; } .series-6 { --line: #ff8fbf; }
  .series-7 { --line: #b3c0cc; } .series-8 { --line: #b5d663; }
}
"""


def alone(svg: str, names: Sequence[str], styles: Sequence[str] = (), more_style: str = "") -> str:
    """The text of a file: with a style, a background and a legend.

    ``styles`` are the classes of what is named, if they are not those of its place in the row.
    """
    picture = fromstring(svg)
    room = draw.WIDTH - 24
    columns = min(max(room // (LETTER * max(map(len, names), default=1) + 36), 1), 4)
    lines = -(-len(names) // columns)
    before = float(picture.get("viewBox", "0 0 0 0").split()[3])
    height = before + LEGEND_LINE * lines + 4
    picture.set("xmlns", "http://www.w3.org/2000/svg")
    picture.set("viewBox", f"0 0 {draw.WIDTH} {height:g}")
    style = Element("style")
    style.text = STYLE + more_style
    picture.insert(2, style)
    for at, name in enumerate(names):
        x = 12 + room / columns * (at % columns)
        y = before + LEGEND_LINE * (at // columns) + 10
        where = {"x": f"{x:g}", "y": f"{y - 9:g}", "width": "14", "height": "9"}
        shown = styles[at] if styles else draw.series_style(at)
        SubElement(picture, "rect", where | {"class": f"bar {shown}"})
        draw.write(picture, name, x + 20, y, "legend")
    return draw.markup(picture) + "\n"
