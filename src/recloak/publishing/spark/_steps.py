"""Steps: jobs of Spark under a name, with progress and errors as everywhere in recloak."""

from __future__ import annotations

import re
import secrets
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from recloak.core.errors import MachineError, RecloakError
from recloak.core.progress import Progress, Task
from recloak.publishing.spark._session import under_connect, without_warnings

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

POLLED = 0.5  # seconds between two looks at how many tasks are done
_OURS = re.compile(r"recloak\.core\.errors\.\w+: (.+)")
_JAVA = re.compile(r"^Caused by: (?:[\w$]+\.)*(\w+): (.+)$", re.MULTILINE)
_PYTHON = re.compile(r"^(\w[\w.]*(?:Error|Exception|Refused)): (.+)$", re.MULTILINE)


@dataclass(frozen=True)
class Steps:
    """Runs the steps of one publication, each a group of jobs that Spark's pages show by name."""

    spark: SparkSession
    progress: Progress
    _kept: list[DataFrame] = field(default_factory=list)

    def kept(self, frame: DataFrame) -> DataFrame:
        """The frame, whose rows workers keep on their disks until `forget`."""
        from pyspark import StorageLevel

        self._kept.append(frame.persist(StorageLevel.DISK_ONLY))
        return self._kept[-1]

    def forget(self) -> None:
        """Let workers drop what they keep; a session that is gone has nothing to drop."""
        while self._kept:
            with suppress(Exception):
                self._kept.pop().unpersist()

    @contextmanager
    def step(self, label: str) -> Iterator[None]:
        """Run jobs under the name of a step; a request to stop ends them, and no others."""
        group = f"recloak: {label}"
        tag = f"{group} {secrets.token_hex(8)}"  # another publication may be at the same step
        with self.progress.task(label, 1) as task, self._named(group, tag), _spark_errors(label):
            watch = _Watch(self.spark, group, tag, task)
            try:
                with watch.looking(), without_warnings():
                    yield
            except BaseException:
                self.spark.interruptTag(tag)
                watch.raise_request()
                raise
            watch.finish()

    @contextmanager
    def _named(self, group: str, tag: str) -> Iterator[None]:
        self.spark.addTag(tag)
        context = _context(self.spark)
        if context is not None:
            context.setJobGroup(group, group)
        try:
            yield
        finally:
            self.spark.removeTag(tag)
            if context is not None:
                for name in ("spark.jobGroup.id", "spark.job.description"):
                    context.setLocalProperty(name, None)


@dataclass
class _Watch:
    """Tells how many tasks of a step are done, from a thread of its own."""

    spark: SparkSession
    group: str
    tag: str
    task: Task
    told: float = 0.0
    request: BaseException | None = None
    over: threading.Event = field(default_factory=threading.Event)

    @contextmanager
    def looking(self) -> Iterator[None]:
        context = _context(self.spark)
        if context is None:  # a session elsewhere does not say
            yield
            return
        tracker = context.statusTracker()
        thread = threading.Thread(target=self._look, args=(tracker,), daemon=True)
        thread.start()
        try:
            yield
        finally:
            self.over.set()
            thread.join()

    def finish(self) -> None:
        self.raise_request()
        self.task.advance(1 - self.told)

    def raise_request(self) -> None:
        """Raise what the user asked for, rather than what became of it."""
        if self.request is not None:
            raise self.request from None

    def _look(self, tracker: Any) -> None:
        while not self.over.wait(POLLED):
            try:
                done = _share_done(tracker, self.group)
                if done > self.told:
                    self.task.advance(done - self.told)
                    self.told = done
            except BaseException as request:
                self.request = request
                self.spark.interruptTag(self.tag)
                return


def _share_done(tracker: Any, group: str) -> float:
    """The share of tasks done among those that are known by now; never quite all."""
    stages = [
        info
        for job in tracker.getJobIdsForGroup(group)
        if (known := tracker.getJobInfo(job)) is not None
        for stage in known.stageIds
        if (info := tracker.getStageInfo(stage)) is not None
    ]
    total = sum(stage.numTasks for stage in stages)
    return 0.95 * sum(stage.numCompletedTasks for stage in stages) / total if total else 0.0


def _context(spark: SparkSession) -> Any:
    """What names groups of jobs, where the session is in this process; None under Spark Connect."""
    return None if under_connect(spark) else spark.sparkContext


@contextmanager
def _spark_errors(label: str) -> Iterator[None]:
    """Turn what Spark complains about into an error of ours, with the line that tells most."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        yield
    except RecloakError:
        raise
    except (PySparkException, Py4JError) as problem:
        what = told_by(str(problem))
        hint = "The logs of Spark say more."
        if "ModuleNotFoundError" in what:
            hint = (
                "The Python of the workers lacks a package: PYSPARK_PYTHON says which one they "
                "use, and recloak must be installed there."
            )
        raise MachineError(
            f"Spark failed: {what}",
            where=f"--engine spark, step '{label}'",
            hint=f"Nothing was published. {hint}",
        ) from problem


def told_by(text: str) -> str:
    """What went wrong, in one line: an error of ours or of Python, or the first line."""
    for pattern in (_OURS, _PYTHON, _JAVA):
        if found := pattern.findall(text):
            last = found[-1]
            return last if isinstance(last, str) else ": ".join(last)
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[0].strip() if lines else "no reason was given"
