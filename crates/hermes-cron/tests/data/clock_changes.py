#!/usr/bin/env python3
"""Makes clock_changes.tsv anew: when cron lines are due around changes of the clock, by a second implementation.

    python3 -m venv /tmp/venv && /tmp/venv/bin/pip install croniter tzdata
    /tmp/venv/bin/python clock_changes.py > clock_changes.tsv

croniter finds the matching wall times, without any zone; zoneinfo says at which moments a clock shows them. The rule:
a time that a clock leaves out counts at the moment the old clock would have shown it, one that comes twice at its
first turn, and moments that fall together are one. Times are minutes since 1970.
"""
import sys
from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo

from croniter import croniter

ZONES = ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "America/Santiago", "Pacific/Auckland"]
LINES = ["30 2 * * *", "0 9 * * *", "15 1 * * SUN", "*/30 * * * *", "0 0 * * *", "45 0-3 * 3,4,9,10,11 *"]
FIRST, LAST = datetime(2026, 1, 1), datetime(2036, 1, 1)
AROUND = timedelta(hours=5)


def minute(moment):
    return int(moment.timestamp()) // 60


def moments(line, zone, first, last):
    """All due moments of the wall times between two, sorted, each once."""
    wall, found = croniter(line, first - timedelta(minutes=1)), set()
    while (time := wall.get_next(datetime)) < last:
        # fold=0: the first of two, or the offset before a gap.
        found.add(minute(time.replace(tzinfo=zone, fold=0)))
    return sorted(found)


def changes(zone):
    """The moments at which the clock of a zone is changed."""
    hour, time = timedelta(minutes=30), FIRST.replace(tzinfo=timezone.utc)
    while time < LAST.replace(tzinfo=timezone.utc):
        if time.astimezone(zone).utcoffset() != (time + hour).astimezone(zone).utcoffset():
            yield time + hour
        time += hour


def main():
    for name in ZONES:
        zone = ZoneInfo(name)
        all_changes = list(changes(zone))
        for line in LINES:
            due = moments(line, zone, FIRST - timedelta(days=2), LAST + timedelta(days=2))
            begin, end = minute(FIRST.replace(tzinfo=timezone.utc)), minute(LAST.replace(tzinfo=timezone.utc))
            years = [m for m in due if begin < m <= end]
            print(name, line, "all", begin, end, f"{len(years)},{sum(years)}", sep="\t")
            for change in all_changes:
                begin, end = minute(change - AROUND), minute(change + AROUND)
                shown = ",".join(str(m) for m in due if begin < m <= end)
                print(name, line, "each", begin, end, shown, sep="\t")


if __name__ == "__main__":
    sys.exit(main())
