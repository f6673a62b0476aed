"""Task `reading`: a CSV file of numbers read by ours and by pyarrow, both on all cores and from the system's cache."""

from pyarrow import csv

import clock
import comparison
import problem
import program

ROWS, D = 1_000_000, 20
FLAGS = ["--solver", "gd", "--eta", "1", "--epochs", "1"]
RUNS = 5


def run(setting):
    """The records of the table."""
    n = min(ROWS, setting.largest)
    print(f"\n### a CSV file of {n} × {D + 1} numbers\n", flush=True)
    data = setting.folder / "reading.csv"
    problem.save(data, problem.drawn(n, D))
    times = clock.medians({"agglio": lambda: ours(setting.program, data), "pyarrow": lambda: theirs(data)}, RUNS)
    size, base = data.stat().st_size, times["agglio"][0]
    records = [{"system": name, "rows": rows, "bytes": size, "seconds": seconds, "times_ours": seconds / base}
               for name, (seconds, rows) in times.items()]
    comparison.table(["system ", "rows   ", "seconds", "MB/s   ", "times ours"], map(row, records))
    return records


def ours(path, data):
    """The fit that follows is as short as can be, and not counted."""
    fit = program.fit(path, data, *FLAGS)
    return fit["read_seconds"], fit["rows"]


def theirs(data):
    seconds, table = clock.timed(lambda: csv.read_csv(data))
    return seconds, table.num_rows


def row(record):
    return (record["system"].ljust(7), record["rows"], f"{record['seconds']:.4f}",
            f"{record['bytes'] / 1e6 / record['seconds']:.0f}", clock.format_ratio(record["times_ours"]))
