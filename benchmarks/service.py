"""Load on the service: ``python -m benchmarks.service``, 1,000 requests/s while releases take over.

The requests come from hey (https://github.com/rakyll/hey), a load generator of its own; each of its
connections asks at a fixed rate, all of them at the same moments: as many requests come at once as
there are connections. A release is published in the middle, on the same machine.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np

from recloak.lists.protection import ALGORITHMS
from recloak.lists.store.releasing import release_next
from recloak.lists.store.store import Store
from recloak.simulation import synthesize

CONNECTIONS = 10


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rate", type=int, default=1000, help="requests per second")
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--connections", type=int, default=CONNECTIONS)
    parser.add_argument("--items", type=int, default=1_682)
    arguments = parser.parse_args()
    if shutil.which("hey") is None:
        sys.exit("hey is not installed: apt-get install hey")
    with tempfile.TemporaryDirectory() as place:
        measured = measure(
            Path(place), arguments.rate, arguments.connections, arguments.seconds, arguments.items
        )
    print("\n".join(f"{name}: {value}" for name, value in measured.items()))


def measure(
    place: Path, rate: int, connections: int, seconds: int, n_items: int
) -> dict[str, object]:
    """Serve, ask, and publish a release in the middle.

    Percentiles hang on what else the machine does; the processor time of an answer does not.
    """
    ratings = synthesize("ml-100k", items=n_items, seed=1)
    store, maker = Store.at(str(place / "lists.db"), make=True), ALGORITHMS.get("constructive")()
    release_next(store, ratings.keep(np.arange(ratings.n_ratings) % 50 > 0), maker)
    words = ["lists", "serve", "--store", str(place / "lists.db"), "--port", "0", "--json"]
    server = subprocess.Popen(
        [sys.executable, "-m", "recloak", *words], stdout=subprocess.PIPE, text=True
    )
    try:
        port = port_of(server)
        base = f"http://127.0.0.1:{port}"
        item = ratings.item_labels[0]
        plain = ["hey", "-c", str(connections), "-q", str(rate / connections)]
        subprocess.run([*plain, "-z", "2s", f"{base}/items/{item}/related"], capture_output=True)
        publishing = threading.Timer(seconds / 3, release_next, (store, ratings, maker))
        publishing.start()
        load, used = os.getloadavg()[0], processor_seconds(server.pid)
        done = subprocess.run(
            [*plain, "-z", f"{seconds}s", f"{base}/items/{item}/related"],
            capture_output=True,
            text=True,
            check=True,
        )
        used = processor_seconds(server.pid) - used
        publishing.join()
        time.sleep(2)
        taken_over = '"release":1' in answer(f"{base}/items/{item}/related")
    finally:
        server.terminate()
        server.wait(30)
    measured = figures(done.stdout)
    answered = sum(int(one) for one in measured["statuses"].values())
    measured["processor ms per answer"] = round(1000 * used / max(1, answered), 3)
    return {**measured, "release taken over": taken_over, "load of the machine": round(load, 1)}


def processor_seconds(process: int) -> float:
    """What a process has used so far, as Linux counts it."""
    fields = Path(f"/proc/{process}/stat").read_text().rsplit(") ", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def port_of(server: subprocess.Popen[str]) -> int:
    """The service says where it listens, as JSON over several lines."""
    assert server.stdout is not None
    output = ""
    while "}" not in output:
        output += server.stdout.readline()
    found = re.search(r'"port": (\d+)', output)
    assert found, output
    port = int(found[1])
    while not answer(f"http://127.0.0.1:{port}/health"):
        time.sleep(0.1)
    return port


def answer(url: str) -> str:
    from urllib.request import urlopen

    try:
        with urlopen(url, timeout=5) as reply:
            return str(reply.read().decode())
    except OSError:
        return ""


def figures(output: str) -> dict[str, Any]:
    """Rate, percentiles and statuses from what hey prints."""
    rate = re.search(r"Requests/sec:\s+([\d.]+)", output)
    percentiles = dict(re.findall(r"(\d+)% in ([\d.]+) secs", output))
    statuses = dict(re.findall(r"\[(\d+)\]\s+(\d+) responses", output))
    millis = {f"p{name} ms": float(value) * 1000 for name, value in percentiles.items()}
    return {"requests/s": rate and float(rate[1]), **millis, "statuses": statuses}


if __name__ == "__main__":
    main()
