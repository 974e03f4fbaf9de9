"""Short ways to ask `verify` about a log book, for its tests."""

import copy

from rapid.engine.replay.verify import verify_lines


def verdict(book, lines=None):
    """The one report on the book's log, or on these lines in its place."""
    (report,) = verify_lines(book.text(lines))
    return report


def is_good(book):
    report = verdict(book)
    assert report.ok, (report, book.lines[-6:])
    return True


def altered(book, line, **changes):
    """The book's lines with one event changed; a change to `...` takes the field away."""
    lines = copy.deepcopy(book.lines)
    event = lines[line["seq"] - 1]
    for name, value in changes.items():
        if value is ...:
            del event[name.rstrip("_")]
        else:
            event[name.rstrip("_")] = value
    return lines


def fault(book, line, **changes):
    """What is found when that event is changed: (seq, reason)."""
    report = verdict(book, altered(book, line, **changes))
    assert not report.ok, f"not found: {line['type']} {changes}"
    return report.seq, report.reason


def refuses(book, reason):
    """The last event of the book is found wrong, and for that reason."""
    report = verdict(book)
    assert not report.ok, "not found"
    assert report.seq == book.lines[-1]["seq"], report
    assert reason in report.reason, report.reason
    return True
