"""Judges of what must hold whatever dies: pure functions over logs and transcripts, separate from the code judged.

They read the documents by themselves (RULES, PROTOCOL) and import nothing of the server. Each
gives verdicts, one line of text each; none means that all is well.
"""

from loadtests.judges.bench import JUDGES, judge, judge_log
from loadtests.judges.case import Case, Event, Log, Loss, Message, Transcript

__all__ = ["JUDGES", "Case", "Event", "Log", "Loss", "Message", "Transcript", "judge", "judge_log"]
