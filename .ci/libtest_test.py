#!/usr/bin/env python3
"""Tests of libtest.py, with test binaries of rustc whose tests fail as often as their names say."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).with_name("libtest.py")

HELPER = """
fn run(name: &str, failures: usize) {
    let path = std::path::Path::new(&std::env::var("STATE").unwrap()).join(name);
    let before = std::fs::read_to_string(&path).unwrap_or_default();
    std::fs::write(&path, format!("{before}x")).unwrap();
    assert!(before.len() >= failures, "{name} fails for the {}. time", before.len() + 1);
}
"""


class Binaries:
    """Test binaries by their source, compiled once."""

    folder = tempfile.TemporaryDirectory()
    made = {}

    @classmethod
    def of(cls, source):
        if source not in cls.made:
            path = Path(cls.folder.name) / f"tests{len(cls.made)}"
            path.with_suffix(".rs").write_text(HELPER + source)
            command = ["rustc", "--edition=2024", "--test", "-Adead_code", "-o", str(path), str(path.with_suffix(".rs"))]
            subprocess.run(command, check=True, env=os.environ | {"RUSTFLAGS": ""})
            cls.made[source] = path
        return cls.made[source]


def tests(**failures):
    return "".join(f'#[test] fn {name}() {{ run("{name}", {count}) }}\n' for name, count in failures.items())


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.state = Path(self.folder.name)

    def call(self, *words, tries=3, silence=60, packages=""):
        environment = os.environ | {
            "STATE": str(self.state),
            "KUBEWRIGHT_CI_REPORT": str(self.state / "report"),
            "KUBEWRIGHT_CI_STAGE": "real",
            "KUBEWRIGHT_CI_TRIES": str(tries),
            "KUBEWRIGHT_CI_SILENCE": str(silence),
            "KUBEWRIGHT_CI_PACKAGES": packages,
            "CARGO_PKG_NAME": "sample",
        }
        done = subprocess.run([sys.executable, str(SCRIPT), *words], env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return done.returncode, done.stdout.decode()

    def run_tests(self, source, *arguments, **options):
        return self.call("run", str(Binaries.of(source)), *arguments, **options)

    def runs(self, name):
        path = self.state / name
        return len(path.read_text()) if path.exists() else 0

    def test_a_test_that_fails_once_is_flaky_and_the_run_is_green(self):
        status, output = self.run_tests(tests(good=0, unsteady=1))
        self.assertEqual(status, 0, output)
        self.assertIn("test result: FAILED. 1 passed; 1 failed", output)
        self.assertIn("test result: ok. 1 passed", output)
        self.assertEqual((self.runs("good"), self.runs("unsteady")), (1, 2))
        status, output = self.call("report")
        self.assertEqual(status, 0, output)
        flaky = output[output.index("== flaky") :]
        binary = Binaries.of(tests(good=0, unsteady=1)).name
        self.assertIn(f"real: sample {binary}: unsteady failed 1 times, then passed", flaky)
        self.assertIn("unsteady fails for the 1. time", flaky)

    def test_a_test_that_fails_twice_is_flaky_with_both_logs(self):
        status, output = self.run_tests(tests(unsteady=2))
        self.assertEqual(status, 0, output)
        status, output = self.call("report")
        self.assertEqual(status, 0, output)
        self.assertIn("unsteady fails for the 1. time", output)
        self.assertIn("unsteady fails for the 2. time", output)

    def test_a_test_that_fails_three_times_fails_the_run(self):
        status, output = self.run_tests(tests(broken=3, unsteady=1))
        self.assertEqual(status, 1, output)
        self.assertEqual((self.runs("broken"), self.runs("unsteady")), (3, 2))
        status, output = self.call("report")
        self.assertEqual(status, 1, output)
        self.assertIn("broken failed 3 times; logs: ", output)

    def test_five_flaky_tests_are_green_and_the_sixth_of_another_binary_fails_the_run(self):
        status, output = self.run_tests(tests(a=1, b=1, c=1, d=1, e=1))
        self.assertEqual(status, 0, output)
        self.assertEqual(self.call("report")[0], 0)
        status, output = self.run_tests(tests(f=1))
        self.assertEqual(status, 1, output)
        self.assertEqual(self.call("report")[0], 1)

    def test_six_failures_at_once_are_not_tried_again(self):
        status, output = self.run_tests(tests(a=1, b=1, c=1, d=1, e=1, f=1))
        self.assertEqual(status, 1, output)
        self.assertIn("none is tried again", output)
        self.assertEqual(self.runs("a"), 1)

    def test_with_one_try_a_failure_is_final(self):
        status, output = self.run_tests(tests(good=0, unsteady=1), tries=1)
        self.assertEqual(status, 1, output)
        self.assertEqual(self.runs("unsteady"), 1)

    def test_a_test_that_ends_its_process_is_tried_again_alone(self):
        source = tests(good=0) + '#[test] fn z() { if std::panic::catch_unwind(|| run("z", 1)).is_err() { std::process::abort() } }\n'
        status, output = self.run_tests(source, "--test-threads=1")
        self.assertEqual(status, 0, output)
        self.assertEqual((self.runs("good"), self.runs("z")), (1, 2))

    def test_a_process_that_hangs_is_killed_and_the_tests_that_ran_are_named(self):
        source = tests(good=0) + '#[test] fn stuck() { loop { std::thread::park() } }\n'
        status, output = self.run_tests(source, silence=1, tries=1)
        self.assertEqual(status, 1, output)
        self.assertIn("no test has ended for 1 s, so the process is killed; running: stuck", output)

    def test_a_process_that_fails_although_its_tests_pass_fails_the_run(self):
        source = 'extern "C" fn end() { std::process::exit(3) } unsafe extern "C" { fn atexit(f: extern "C" fn()) -> i32; }\n'
        source += "#[test] fn good() { unsafe { atexit(end) }; }\n"
        status, output = self.run_tests(source)
        self.assertEqual(status, 1, output)
        self.assertIn("although all its tests passed", output)

    def test_packages_that_are_not_asked_for_are_passed_over(self):
        for packages, runs in [("other another", 0), ("other sample", 1)]:
            status, output = self.run_tests(tests(good=0), packages=packages)
            self.assertEqual(status, 0, output)
            self.assertEqual(self.runs("good"), runs)

    def test_filters_hold_and_the_time_of_each_test_is_that_of_the_test(self):
        source = "#[test] fn slow() { std::thread::sleep(std::time::Duration::from_millis(700)) }\n" + tests(quick=0, other=0)
        status, output = self.run_tests(source, "slow", "quick", "--test-threads=1")
        self.assertEqual(status, 0, output)
        self.assertEqual((self.runs("quick"), self.runs("other")), (1, 0))
        lines = (self.state / "report" / "tests.jsonl").read_text().splitlines()
        seconds = {result["test"]: result["seconds"] for result in map(json.loads, lines)}
        self.assertEqual(sorted(seconds), ["quick", "slow"])
        self.assertTrue(0.6 < seconds["slow"] < 5 and seconds["quick"] < 0.5, seconds)
        slowest = self.call("report")[1].splitlines()
        self.assertIn("== slowest of real (2 tests", slowest[0])
        self.assertIn(": slow", slowest[1])


if __name__ == "__main__":
    unittest.main()
