"""Pages for people: what is in force, and what can be asked; nothing is fetched from elsewhere."""

from __future__ import annotations

from html import escape
from typing import Any

from recloak.lists.store.records import ReleaseRecord

_STYLE = """body{font:16px/1.5 system-ui,sans-serif;max-width:52rem;margin:2rem auto;padding:0 1rem;
color:#1c2430;background:#fff}code,pre{background:#f2f4f7;border-radius:4px;padding:.1rem .3rem}
h2{margin-top:2rem;font-size:1.1rem}table{border-collapse:collapse}td,th{text-align:left;
padding:.2rem 1rem .2rem 0;vertical-align:top}a{color:#0b57a4}"""


def _page(title: str, body: str) -> str:
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        f'<meta name="viewport" content="width=device-width"><style>{_STYLE}</style></head>'
        f"<body><main><h1>{escape(title)}</h1>{body}</main></body></html>"
    )


def landing_page(record: ReleaseRecord | None, version: str) -> str:
    """Which release is in force, and where to go."""
    if record is None:
        state = "<p>No lists are loaded yet.</p>"
    else:
        rows = {
            "Release": str(record.number),
            "Published": record.published_at,
            "Items": f"{record.n_items:,}",
            "Slots of a list": str(record.top),
            "Promise": f"δ = {record.delta}, window {record.window}"
            if record.protected
            else "none: these lists were public before protection",
        }
        cells = "".join(
            f"<tr><th>{escape(name)}</th><td>{escape(value)}</td></tr>"
            for name, value in rows.items()
        )
        state = f"<table>{cells}</table>"
    links = (
        '<p><a href="docs">Requests</a>, <a href="openapi.json">OpenAPI description</a>, '
        '<a href="releases">all releases</a>, <a href="health">health</a>, '
        '<a href="metrics">metrics</a>.</p>'
    )
    return _page("Related-item lists", f"{state}{links}<p>recloak {escape(version)}</p>")


def docs_page(description: dict[str, Any]) -> str:
    """The API's own description, for people."""
    parts = [f"<p>{escape(description['info'].get('description', ''))}</p>"]
    for path, methods in description["paths"].items():
        for method, one in methods.items():
            parts.append(f"<h2><code>{method.upper()} {escape(path)}</code></h2>")
            parts.append(f"<p>{escape(one.get('summary', ''))}</p>")
            parts.append(_parameters(one, description))
            rows = "".join(
                f"<tr><td>{escape(status)}</td><td>{escape(reply.get('description', ''))}</td></tr>"
                for status, reply in one["responses"].items()
            )
            parts.append(f"<table>{rows}</table>")
    return _page("Requests", "".join(parts))


def _parameters(one: dict[str, Any], description: dict[str, Any]) -> str:
    """Parameters in the path, the query or the headers, and fields of the body."""
    rows = [(p["name"], p["in"], p.get("description", "")) for p in one.get("parameters", ())]
    content = one.get("requestBody", {}).get("content", {})
    for body in content.values():
        name = body["schema"].get("$ref", "").rsplit("/", 1)[-1]
        fields = description["components"]["schemas"].get(name, {}).get("properties", {})
        rows += [(key, "body", field.get("description", "")) for key, field in fields.items()]
    cells = "".join(
        f"<tr><td><code>{escape(name)}</code></td><td>{escape(where)}</td>"
        f"<td>{escape(meaning)}</td></tr>"
        for name, where, meaning in rows
    )
    return f"<table>{cells}</table>" if cells else ""
