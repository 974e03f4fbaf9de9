"""The report of a run: PROTOCOL 6 to the letter as JSON, and as text for people."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from msgspec import Struct, field

from loadtests.generator.plan import Judged, cut_off_for_asking
from loadtests.report.histogram import in_ms
from loadtests.report.measured import Measured
from loadtests.report.words import UNKNOWN, in_words
from loadtests.under_test.own import RAISED

PARTS: Final = ("gateway", "worker", "redis", "generator")
PLAYS_LEAST: Final = 0.5
GAME_INTENTS: Final = 60
"""From so many a table on there was about a whole round at each: plays, passes, salts, the deal."""


class Report(Struct, frozen=True, kw_only=True):
    """One run. `more`: what the scenario adds, a figure or a sentence each."""

    scenario: str
    options: Mapping[str, Any]
    measured: Measured
    judged: Judged
    verdict: str = ""
    faults: tuple[str, ...] = ()
    """What must not happen in this scenario and did, besides what the judges say."""
    limited: str | None = None
    """Why nothing may be quoted, besides what `measured` itself says."""
    steps: Sequence[Measured] = ()
    """All windows, in order, where there was more than one."""
    beside: str = ""
    """What every second of them had beside it, where they were measured without and with something in turn."""
    against: Mapping[str, Mapping[str, float | None]] | None = None
    more: Mapping[str, Any] = field(default_factory=dict)
    is_together: bool | None = True
    """Whether gateway and worker are one process, None if that is unknown; its CPU is given as the gateway's."""

    @property
    def bottleneck(self) -> str | None:
        """Why nothing may be quoted, None if all may."""
        return self.measured.bottleneck or self.limited

    @property
    def is_correct(self) -> bool:
        """Whether nothing was lost, doubled, out of order, wrong or left unanswered."""
        judged = self.judged
        wrong = judged.lost + judged.doubled + judged.out_of_order + judged.unverified
        return not (wrong or self.all_faults or self.measured.unanswered)

    @property
    def all_faults(self) -> list[str]:
        """`faults`, and what follows from the figures."""
        judged, measured = self.judged, self.measured
        found = [*self.faults]
        if judged.cut_off:
            found.append(cut_off_for_asking(judged.cut_off))
        if judged.tables < judged.opened:
            found.append(f"only {judged.tables} of {judged.opened} tables could be judged")
        tables = self.options.get("tables", 0)
        if measured.counted >= GAME_INTENTS * tables > 0 and measured.plays_share < PLAYS_LEAST:
            found.append(
                f"only {measured.plays_share:.0%} of what is counted are plays, {PLAYS_LEAST:.0%} is the least: "
                "these are no games"
            )
        return found

    def as_json(self) -> dict[str, Any]:
        """Return the fields of PROTOCOL 6. What may not be quoted is null."""
        measured, judged = self.measured, self.judged
        is_quoted = self.bottleneck is None
        cpu = {name: _rounded(measured.cpu_us(name)) for name in PARTS}
        found = {
            "scenario": self.scenario,
            "options": dict(self.options),
            "seconds": round(measured.seconds, 3),
            "counted": measured.counted,
            "counted_in_window": measured.counted_in_window,
            "rate": round(measured.rate, 1) if is_quoted and measured.due else None,
            "refused": measured.refused,
            "race_lost": measured.race_lost,
            "latency_ms": measured.quoted_ms if is_quoted else dict.fromkeys(measured.quoted_ms),
            "cpu_us_per_intent": cpu if is_quoted else dict.fromkeys(cpu),
            "memory_kb": measured.memory_kb,
            "judges": {name: getattr(judged, name) for name in ("lost", "doubled", "out_of_order", "unverified")},
            "bottleneck": self.bottleneck,
            "unanswered": measured.unanswered,
            "cut_off": judged.cut_off,
            "not_in_time": measured.behind,
            "counted_by_kind": measured.kinds,
            "late_ms": measured.late.summary(),
            "judged": {
                name: getattr(judged, name) for name in ("opened", "tables", "events", "connections", "messages")
            },
            "verdicts": [*self.all_faults, *judged.verdicts],
            "verdict": self.verdict,
            "gateway_and_worker_together": self.is_together,
            "steps": [_step(step) for step in self.steps],
            **self.more,
        }
        return found if self.against is None else found | {"against": self.against}

    def write_json(self, file: Path) -> None:
        """Write it."""
        text = json.dumps(self.as_json(), indent=1, ensure_ascii=False, default=str)
        file.write_text(text + "\n", encoding="utf-8")

    def as_text(self) -> str:
        """Return it for people."""
        measured, judged = self.measured, self.judged
        lines = [f"{self.scenario}: {self._counted()}"]
        if self.bottleneck is not None:
            lines.append(f"  NOT QUOTED: {self.bottleneck}")
        elif measured.due:
            lines += self._figures()
        if measured.race_lost:
            lines.append(f"  races lost on top: {measured.race_lost}")
        refused = ", ".join(f"{count} {why}" for why, count in sorted(measured.refused.items()))
        lines.append(
            f"  refused: {refused or 'none'}; not done in time: {measured.behind}; unanswered: {measured.unanswered}"
        )
        if "limits" in self.options:
            lines.append(f"  limits: {_limits(self.options)}")
        lines.append(f"  memory: {_memory(measured.memory_kb)}")
        for name, ratios in (self.against or {}).items():
            none = "not quoted" if all(one is None for one in ratios.values()) else UNKNOWN
            shown = ", ".join(f"{figure} {none if one is None else one}" for figure, one in ratios.items())
            lines.append(f"  ours / {name}, medians: {shown}")
        lines += [f"  {in_words(name, value)}" for name, value in self.more.items()]
        lines.append(
            f"  judges: {judged.tables} logs, {judged.events} events, {judged.connections} connections,"
            f" {judged.messages} messages; lost {judged.lost}, doubled {judged.doubled},"
            f" out of order {judged.out_of_order}, unverified {judged.unverified}"
        )
        if self.verdict:
            lines.append(f"  {self.verdict}")
        if not self.is_correct:
            first, *others = [*self._reasons(), *judged.verdicts]
            lines += [f"  WRONG: {first}", *(f"    {other}" for other in others)]
        return "\n".join(lines)

    def _reasons(self) -> list[str]:
        """Return why it is wrong, counts first."""
        judged = self.judged
        counts = {
            "lost": judged.lost,
            "doubled": judged.doubled,
            "out of order": judged.out_of_order,
            "tables that do not agree with their log": judged.unverified,
            "intents unanswered": self.measured.unanswered,
        }
        found = ", ".join(f"{count} {name}" for name, count in counts.items() if count)
        return [found, *self.all_faults] if found else self.all_faults

    def _counted(self) -> str:
        """How much was done, and when: what is done behind the window is no part of its rate."""
        measured = self.measured
        if not measured.due:
            if measured.broken_off is not None:
                return "nothing is known of what was asked for"
            return f"nothing was asked for during {measured.seconds:g} s"
        kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(measured.kinds.items())) or "none"
        if measured.broken_off is not None:
            return f"{measured.counted} intents counted until it was broken off ({kinds})"
        is_more = measured.counted > measured.counted_in_window
        within = f", {measured.counted_in_window} of them in" if is_more else " in"
        return f"{measured.counted} intents counted{within} the {measured.seconds:g} s of the window ({kinds})"

    def _asked(self) -> str:
        asked = self.measured.asked_rate
        if not asked:
            return ""
        if self.measured.churn:
            return f"; {asked:.0f}/s asked for where nobody is away, and on top what begins and ends tables"
        return f" of {asked:.0f}/s asked for"

    def _figures(self) -> list[str]:
        measured = self.measured
        latency = "none"
        if measured.latency.count:
            latency = ", ".join(f"{name} {in_ms(ms)}" for name, ms in measured.latency.summary().items())
        cpu = {name: measured.cpu_us(name) for name in PARTS}
        if self.is_together:
            cpu["gateway and worker"] = cpu.pop("gateway")
            del cpu["worker"]
        cpu["of all servers"] = measured.servers_cpu_us
        used = ", ".join(f"{name} {us:.0f}" for name, us in cpu.items() if us is not None) or "none"
        waited = (
            f" (with {measured.behind} not done, by how long they waited, a lower bound)" if measured.behind else ""
        )
        return [
            f"  rate: {measured.rate:.0f}/s{self._asked()}",
            f"  intent to event at every seat, ms: {latency}{waited}",
            f"  CPU for each intent, µs: {used}",
        ]


def _memory(memory_kb: Mapping[str, int | None]) -> str:
    return ", ".join(f"{name} {'gone' if kb is None else f'{kb / 1024:.0f} MB'}" for name, kb in memory_kb.items())


def _limits(options: Mapping[str, Any]) -> str:
    """Which limits for one client the server had (PROTOCOL 3)."""
    if options["limits"] is None:
        return "unknown, the server was there already"
    if options["limits"] == "default":
        return "the server's defaults"
    rates = {name: int(value) for name, value in RAISED.items() if name.endswith("PER_SECOND")}
    return "raised for the run: " + ", ".join(f"{name.lower()} {value:,}" for name, value in rates.items())


def _step(measured: Measured) -> dict[str, Any]:
    """A window among several."""
    return {
        "asked": round(measured.asked_rate, 1),
        "seconds": measured.seconds,
        "counted": measured.counted,
        "not_in_time": measured.behind,
        "latency_ms": measured.quoted_ms,
        "bottleneck": measured.bottleneck,
        "late_p99_ms": measured.late.summary()["p99"],
    }


def _rounded(us: float | None) -> float | None:
    return None if us is None else round(us, 1)
