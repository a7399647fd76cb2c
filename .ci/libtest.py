#!/usr/bin/env python3
"""Runs the test binaries of `.ci/run`: takes the time of each test, tries those that fail again, and reports at the end.

    libtest.py run BINARY [ARGUMENT...]   the runner that cargo starts for each test binary
    libtest.py report                     the slowest tests of each stage and the flaky ones; fails when there are too many

Environment:

    KUBEWRIGHT_CI_REPORT   folder for results and logs
    KUBEWRIGHT_CI_STAGE    stage that the results belong to
    KUBEWRIGHT_CI_PACKAGES packages whose binaries are run, separated by spaces (default all); others are passed over
    KUBEWRIGHT_CI_TRIES    how often a test may run until it passes (default 1)
    KUBEWRIGHT_CI_SILENCE  seconds after which a binary that ends no test is killed (default 900)

The first run of a binary is that of `cargo test`, with one server for all its tests; its output passes through. A test that fails is then
run alone, in a process of its own. One that passes is flaky. More than MOST_FLAKY of them in all stages fail the run, so that a binary
with more failures than are left gets no second try.
"""

import json
import os
import queue
import re
import subprocess
import sys
import threading
import time
from pathlib import Path

MOST_FLAKY = 5
SLOWEST = 10
LOG_LINES = 150

VERDICT = re.compile(r"^test (.+?)(?: - should panic)? \.\.\. (ok|FAILED|ignored)")
SECTION = re.compile(r"^---- (.+) stdout ----$")


class Run:
    """One run of a test binary, as its lines tell it."""

    def __init__(self, names, threads):
        self.waiting = list(names)
        self.running = {}
        self.verdicts = {}
        self.seconds = {}
        self.logs = {}
        self.section = None
        self.threads = threads

    def fill(self):
        """The harness starts tests in the order of its list, as soon as a thread is free."""
        while self.waiting and len(self.running) < self.threads:
            self.running[self.waiting.pop(0)] = time.monotonic()

    def read(self, line):
        if verdict := VERDICT.match(line):
            name, outcome = verdict.groups()
            if name in self.waiting:
                self.waiting.remove(name)
            elif name in self.running:
                self.seconds[name] = time.monotonic() - self.running.pop(name)
            self.verdicts[name] = outcome
            self.fill()
        elif section := SECTION.match(line):
            self.section = section[1]
        elif line in ("failures:", "successes:"):
            self.section = None
        elif self.section is not None and self.verdicts.get(self.section) == "FAILED":
            self.logs.setdefault(self.section, []).append(line)

    def failed(self):
        """Tests that failed, or that the end of the process left without a verdict."""
        return [name for name, outcome in self.verdicts.items() if outcome == "FAILED"] + list(self.running) + self.waiting


def listed(binary, arguments):
    """Names of the tests that the arguments select, in the order in which they start."""
    command = [binary, *arguments, "--list", "--format", "terse"]
    output = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=True).stdout.decode(errors="replace")
    return [line[: -len(": test")] for line in output.splitlines() if line.endswith(": test")]


def threads_of(arguments):
    for index, argument in enumerate(arguments):
        if argument.startswith("--test-threads="):
            return int(argument.split("=", 1)[1])
        if argument == "--test-threads":
            return int(arguments[index + 1])
    return int(os.environ.get("RUST_TEST_THREADS") or os.cpu_count() or 1)


def execute(binary, arguments, names, threads, silence):
    """Runs the binary to its end; its output passes through. The exit status, and what its lines told."""
    run = Run(names, threads)
    process = subprocess.Popen([binary, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
    lines = queue.Queue()

    def read():
        for line in process.stdout:
            lines.put(line)
        lines.put(None)

    threading.Thread(target=read, daemon=True).start()
    run.fill()
    heard = time.monotonic()
    try:
        while True:
            try:
                line = lines.get(timeout=1)
            except queue.Empty:
                # What it started may hold the pipe open beyond its end.
                if process.poll() is not None:
                    break
                if time.monotonic() - heard > silence:
                    say(f"no test has ended for {silence:.0f} s, so the process is killed; running: {', '.join(run.running)}")
                    break
                continue
            if line is None:
                break
            heard = time.monotonic()
            sys.stdout.buffer.write(line)
            sys.stdout.buffer.flush()
            run.read(line.decode(errors="replace").rstrip("\n"))
    finally:
        # It has closed its output or is not wanted any more; a moment is enough to end by itself.
        try:
            if sys.exc_info()[0] is None and time.monotonic() - heard <= silence:
                process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            pass
        process.kill()
        status = process.wait()
    return status, run


def say(text):
    print(f"libtest: {text}", flush=True)


class Report:
    """Results of all stages, one line of JSON for each test, and the logs of tests that failed."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.file = self.folder / "tests.jsonl"

    def results(self):
        if not self.file.exists():
            return []
        return [json.loads(line) for line in self.file.read_text().splitlines()]

    def add(self, result):
        with self.file.open("a") as file:
            file.write(json.dumps(result) + "\n")

    def flaky(self):
        return [result for result in self.results() if result["outcome"] == "flaky"]

    def log(self, stage, binary, name, number, lines):
        path = self.folder / "logs" / re.sub(r"[^\w.-]+", "_", f"{stage}-{binary}-{name}-{number}.log")
        path.parent.mkdir(exist_ok=True)
        path.write_text("\n".join(lines) + "\n")
        return str(path)


def run_binary(binary, arguments):
    """Exit status for cargo."""
    package = os.environ.get("CARGO_PKG_NAME", "")
    packages = os.environ.get("KUBEWRIGHT_CI_PACKAGES", "").split()
    if packages and package not in packages:
        return 0
    stage = os.environ.get("KUBEWRIGHT_CI_STAGE", "test")
    tries = int(os.environ.get("KUBEWRIGHT_CI_TRIES", "1"))
    silence = float(os.environ.get("KUBEWRIGHT_CI_SILENCE", "900"))
    report = Report(os.environ["KUBEWRIGHT_CI_REPORT"])
    title = f"{package} {re.sub(r'-[0-9a-f]{16}$', '', Path(binary).name)}".strip()
    names = listed(binary, arguments)
    status, run = execute(binary, arguments, names, threads_of(arguments), silence)
    failed = run.failed() if status != 0 else []
    is_retried = tries > 1 and 0 < len(failed) <= MOST_FLAKY - len(report.flaky())
    if tries > 1 and failed and not is_retried:
        say(f"{len(failed)} tests of {title} failed and {len(report.flaky())} were flaky before: more than {MOST_FLAKY}, so none is tried again")
    outcomes = {}
    for name in failed:
        logs = [report.log(stage, title, name, 1, run.logs.get(name, ["it has no verdict: the process ended or was killed"]))]
        outcomes[name] = "failed"
        while is_retried and outcomes[name] == "failed" and len(logs) < tries:
            say(f"{name} failed; try {len(logs) + 1} of {tries}, alone")
            alone = [argument for argument in arguments if argument.startswith("--") and not argument.startswith("--test-threads")]
            code, again = execute(binary, [name, "--exact", "--test-threads=1", *alone], [name], 1, silence)
            if code == 0 and again.verdicts.get(name) == "ok":
                outcomes[name] = "flaky"
            else:
                logs.append(report.log(stage, title, name, len(logs) + 1, again.logs.get(name, ["it has no verdict"])))
        result = {"stage": stage, "binary": title, "test": name, "outcome": outcomes[name], "failures": len(logs), "logs": logs}
        report.add(result | {"seconds": run.seconds.get(name)})
    for name, seconds in run.seconds.items():
        if name not in outcomes:
            report.add({"stage": stage, "binary": title, "test": name, "outcome": run.verdicts[name], "seconds": seconds})
    if status != 0 and not failed:
        say(f"{title} ended with status {status} although all its tests passed")
        return 1
    return 0 if all(outcome == "flaky" for outcome in outcomes.values()) else 1


def print_report():
    report = Report(os.environ["KUBEWRIGHT_CI_REPORT"])
    results = report.results()
    for stage in dict.fromkeys(result["stage"] for result in results):
        timed = [result for result in results if result["stage"] == stage and result.get("seconds") is not None]
        print(f"== slowest of {stage} ({len(timed)} tests, {sum(result['seconds'] for result in timed):.0f} s in sum)")
        for result in sorted(timed, key=lambda result: -result["seconds"])[:SLOWEST]:
            print(f"{result['seconds']:8.1f} s  {result['binary']}: {result['test']}")
    failed = [result for result in results if result["outcome"] == "failed"]
    if failed:
        print("== failed")
    for result in failed:
        print(f"{result['stage']}: {result['binary']}: {result['test']} failed {result['failures']} times; logs: {' '.join(result['logs'])}")
    flaky = report.flaky()
    if flaky:
        print("== flaky")
    for result in flaky:
        print(f"{result['stage']}: {result['binary']}: {result['test']} failed {result['failures']} times, then passed; logs:")
        for path in result["logs"]:
            lines = Path(path).read_text().splitlines()
            print(f"-- {path}" + (f" (its last {LOG_LINES} of {len(lines)} lines)" if len(lines) > LOG_LINES else ""))
            print("\n".join(lines[-LOG_LINES:]))
    if len(flaky) > MOST_FLAKY:
        print(f"{len(flaky)} tests are flaky, more than {MOST_FLAKY}")
    return 1 if failed or len(flaky) > MOST_FLAKY else 0


def main(words):
    if words[:1] == ["run"] and len(words) > 1:
        return run_binary(words[1], words[2:])
    if words == ["report"]:
        return print_report()
    print("usage: libtest.py run BINARY [ARGUMENT...] | report", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
