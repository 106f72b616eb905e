"""Runs the shared tests where there is no pytest: on MicroPython, or any Python.

The manifest (written by tests/portable/manifest.py) has one JSON list a line:
["test", module, function, takes_device] or ["cases", file of JSON lines].
MicroPython in JavaScript collects garbage only while no Python is running, so a run is
a sequence of short `step` calls.
"""

import json
import sys
import time

from tests.portable.exclusions import reason

KERNELS = 50  # cases after which the kernels they made are dropped


class Run:
    """One pass over a manifest; counts `passed`, `failed`, `excluded`."""

    def __init__(self, manifest, runtime):
        self.runtime = runtime
        self.passed = 0
        self.failed = []
        self.excluded = []
        self.device = None
        self.work = self.tests(manifest)

    def step(self, count=1):
        """Run the next `count` tests; return False when none is left."""
        for _ in range(count):
            try:
                next(self.work)
            except StopIteration:
                return False
        return True

    def tests(self, manifest):
        with open(manifest) as lines:
            for line in lines:
                entry = json.loads(line)
                if entry[0] == "cases":
                    yield from self.run_cases(entry[1])
                else:
                    self.run_test(entry[1], entry[2], entry[3])
                    yield

    def run_test(self, module, function, takes_device):
        def call():
            test = getattr(imported(module), function)
            finish(test(self.get_device()) if takes_device else test())

        self.guard(module + "::" + function, call)

    def run_cases(self, path):
        """Run each line of a file of JSON cases; a case names itself by "id"."""
        cases = imported("tests.shared.cases")
        count = 0
        with open(path) as lines:
            for line in lines:
                case = json.loads(line)

                def call(case=case):
                    cases.run(case, self.get_device())

                self.guard("case:" + case["id"], call)
                count += 1
                if count % KERNELS == 0:
                    cases.forget(self.get_device())
                yield

    def get_device(self):
        if self.device is None:
            import fogo

            self.device = fogo.device("python")
        return self.device

    def guard(self, name, call):
        """Run one test; whatever it raises is counted and shown, never passed on."""
        why = reason(self.runtime, name)
        if why is not None:
            self.excluded.append((name, why))
            return
        print(name, end=" ")
        start = time.time()
        try:
            call()
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            print("FAILED")
            self.failed.append((name, type(error).__name__ + ": " + str(error)))
            show(error)
        else:
            self.passed += 1
            print("ok", seconds_since(start))

    def report(self):
        """Print exclusions, failures and the counts; return the exit status."""
        for name, why in self.excluded:
            print("excluded:", name + ":", why)
        for name, error in self.failed:
            print("failed:", name + ":", error)
        counts = (self.passed, len(self.failed), len(self.excluded))
        print("%d passed, %d failed, %d skipped" % counts)
        return 1 if self.failed or not self.passed else 0


def imported(name):
    __import__(name)
    return sys.modules[name]


def finish(result):
    """Drive a coroutine to its end: nothing on the python device really waits."""
    if hasattr(result, "send"):
        try:
            while True:
                result.send(None)
        except StopIteration:
            pass


def show(error):
    if hasattr(sys, "print_exception"):
        sys.print_exception(error)
    else:
        import traceback

        traceback.print_exception(error)


def seconds_since(start):
    return "%.2f s" % (time.time() - start)


def main(manifest, runtime):
    """Run a whole manifest; exits with 0 when all that ran passed."""
    run = Run(manifest, runtime)
    while run.step():
        pass
    sys.exit(run.report())
