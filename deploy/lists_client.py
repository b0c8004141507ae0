"""An example of a client of the lists service, with nothing but Python: copy it and adapt it.

python lists_client.py http://localhost:8080 318 50
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Mapping
from typing import NamedTuple
from urllib.error import HTTPError
from urllib.parse import quote
from urllib.request import Request, urlopen

SECONDS = 2.0


class Answer(NamedTuple):
    """What the service said."""

    status: int
    tag: str
    body: bytes


Fetch = Callable[[str, Mapping[str, str]], Answer]


def over_http(url: str, headers: Mapping[str, str]) -> Answer:
    """Ask, and take an answer that is no success as an answer, too."""
    try:
        with urlopen(Request(url, headers=dict(headers)), timeout=SECONDS) as reply:
            return Answer(reply.status, reply.headers.get("ETag", ""), reply.read())
    except HTTPError as refused:
        return Answer(refused.code, "", refused.read())


class ListsClient:
    """Lists of items; one that did not change since it was asked for last is not sent again."""

    def __init__(self, base: str, key: str = "", fetch: Fetch = over_http) -> None:
        self._base, self._fetch = base.rstrip("/"), fetch
        self._headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._known: dict[str, Answer] = {}

    def related(self, item: str) -> list[str | None] | None:
        """The slots of an item's list, from the first to the last; None for an unknown item.

        An empty slot is None and must stay where it is: who closes the gap tells what was hidden.
        """
        url = f"{self._base}/items/{quote(item, safe='')}/related"
        known = self._known.get(item)
        asked = {"If-None-Match": known.tag} if known else {}
        answer = self._fetch(url, {**self._headers, **asked})
        if answer.status == 304 and known:
            answer = known
        if answer.status == 404:
            return None
        if answer.status != 200:
            raise OSError(f"the lists service answers {answer.status}: {answer.body[:200]!r}")
        self._known[item] = answer
        slots: list[str | None] = json.loads(answer.body)["related"]
        return slots


if __name__ == "__main__":
    client = ListsClient(sys.argv[1], os.environ.get("LISTS_KEY", ""))
    for wanted in sys.argv[2:]:
        print(wanted, client.related(wanted))
