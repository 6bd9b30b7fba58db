"""Runs that fix bugs in a Python package: explore, search, read, edit, run tests, task after task."""

from __future__ import annotations

import random
from pathlib import Path
from posixpath import basename
from typing import Any

from tools.agent_runs.agent import Agent, Call, Result, Seen
from tools.agent_runs.python_repository import Function, PythonRepository, make_python_repository
from tools.agent_runs.run import AgentRun
from tools.agent_runs.workspace import Workspace

FAMILY = "bugs"
MIN_TOOL_CALLS = 60
MAX_BUGS = 12

PLANS = (
    "Nothing unusual here; going on.",
    "This one is not involved as far as I can see.",
    "I first thought of `collections.defaultdict` or `functools.lru_cache`, but neither matters here.",
    "A plain `unittest.TestCase` method is enough for this.",
    "Let me look further before I change anything.",
    "If the arguments were the reason, there would be a `TypeError` or `KeyError`, so that is excluded.",
    "The change should stay small, so that it can be reviewed at a glance.",
    "Callers of the function are listed by the search; I want to know which of them could notice a change.",
    "Before I edit, I make sure that what is expected and what the code does are really different.",
    "It may be an off-by-one error, a wrong comparison, or a constant that was mistyped.",
    "There is no need to touch `__init__.py` or the packaging for this.",
    "Other modules do the same thing in a similar way, and I compare them to see what is intended.",
)


def make_bug_fixing_run(seed: int, folder: Path) -> AgentRun:
    """Return a run of 60 tool calls or more on a repository that is written to the folder."""
    return _BugFixing(seed, folder).run()


class _BugFixing:
    def __init__(self, seed: int, folder: Path) -> None:
        self.rng = random.Random(f"{FAMILY} {seed}")
        self.seed = seed
        self.repository: PythonRepository = make_python_repository(self.rng, n_bugs=MAX_BUGS)
        self.root = f"/home/dev/{self.repository.package}"
        workspace = Workspace(folder, self.root, numbers_lines=True)
        workspace.write(self.repository.files)
        self.agent = Agent(workspace)
        self.by_test = {function.test: function for function in self.repository.functions}
        self.open = list(self.repository.broken)
        self.suite: Result | None = None  # the last run of all tests
        self.looked_up: list[tuple[str, Seen]] = []  # questions about early results, with the answers

    def run(self) -> AgentRun:
        """Do task after task; sometimes the user asks for something seen early on."""
        n_tasks = 0
        while self.open and (self.agent.n_tool_calls < MIN_TOOL_CALLS or n_tasks < 4):
            if n_tasks >= 2 and self.looked_up and self.rng.random() < 0.3:
                self._look_back()
            self._task(is_first=n_tasks == 0)
            n_tasks += 1
        while self.looked_up and self.rng.random() < 0.7:
            self._look_back()
        return self.agent.finish(f"{FAMILY}-{self.seed}", FAMILY)

    def _task(self, *, is_first: bool) -> None:
        function = self.rng.choice(self.open)
        kinds = ["name", "module", "suite"]
        kind = self.rng.choice(kinds)
        if kind == "name":
            self.agent.hear(f"{function.name} {function.symptom}. Please find out why and fix it.")
        elif kind == "module":
            self.agent.hear(
                f"The tests in {function.test_path} fail on my machine. Can you fix what is wrong?"
            )
        else:
            self.agent.hear("Please take the next failing test of the suite and fix what is behind it.")
        if is_first:
            self._orient()
        if kind == "name":
            path = self._search(function)
            failure = self._run_tests(function)
        else:
            if kind == "suite":
                function = self._pick_from_suite()
            failure = self._run_tests(function)
            path = self._path(function.module)
        self._fix(function, path, failure)

    def _orient(self) -> None:
        say = f"I'll get an overview of {self.repository.package} first."
        self.listing = self.agent.act_once(say, ("Glob", {"pattern": "**/*"}))
        paths = [self._path(name) for name in ("README.md", "CONTRIBUTING.md", "pyproject.toml")]
        _, self.guide, project = self.agent.act("", *(_read(path) for path in paths))
        self.looked_up.append(
            ("Which version does the project file have?", project.find(r'version = "(.+)"'))
        )
        if self.rng.random() < 0.7:
            known = self.agent.act_once("", _read(self._path("docs/known_issues.md")))
            issue = self.rng.choice(known.find_all(r"\t- (.+) \(open\)"))
            number = known.text[: known.text.index(issue)].count("\n") + 1
            question = f"What was on line {number} of the known issues that you read at the beginning?"
            self.looked_up.append((question, issue))
        self._wander(self.rng.randint(2, 5))

    def _plan(self) -> str:
        """Sentences of general knowledge, which need no result."""
        return " ".join(self.rng.sample(PLANS, self.rng.randint(1, 4)))

    def _wander(self, n: int) -> None:
        """Read and search what turns out useless."""
        package = self.repository.package
        for _ in range(n):
            remark = self._plan()
            other = self.rng.choice(self.repository.functions)
            noun = basename(other.module)[:-4]
            choice = self.rng.random()
            if choice < 0.35:
                self._keep_question(self.agent.act_once(remark, _read(self._path(other.module))), other)
            elif choice < 0.5:
                second = self.rng.choice(self.repository.functions)
                calls = [_read(self._path(path)) for path in (other.module, second.test_path)]
                self.agent.act(remark, *calls)
            elif choice < 0.7:
                self.agent.act(remark, ("Grep", {"pattern": f"{noun}", "path": package}))
            elif choice < 0.85:
                pattern = self.rng.choice(("LIMIT", "import", "def ", "return", "round"))
                self.agent.act(remark, ("Grep", {"pattern": pattern, "path": package}))
            else:
                offset = self.rng.randint(1, 60)
                self.agent.act(remark, _read(self._path(other.module), offset, self.rng.randint(40, 120)))

    def _keep_question(self, module: Result, function: Function) -> None:
        """Now and then, note something of a file that the user will ask for much later."""
        choice = self.rng.random()
        if choice < 0.3:
            constant = self.rng.choice(module.find_all(r"\t([A-Z_]+_LIMIT = \d+)"))
            question = f"Which value does {constant.split(' ')[0]} have?"
            self.looked_up.append((question, constant))
        elif choice < 0.6:
            title = module.find(rf"(?s)def {function.name}\(.*?\"\"\"(Return [^\n]*)")
            self.looked_up.append((f"What does the docstring of {function.name} begin with?", title))

    def _search(self, function: Function) -> Seen:
        """Find where a function is defined; the pattern may be wide."""
        noun = basename(function.module)[:-4]
        pattern = self.rng.choice((function.name, f"_{noun}_", f"def .*{noun}"))
        found = self.agent.act_once(f"Where is {function.name}?", ("Grep", {"pattern": pattern}))
        path = found.find(rf"^(\S+?):\d+:def {function.name}\(")
        line = found.find(rf"^\S+?:(\d+):def {function.name}\(")
        self._wander(self.rng.randint(0, 2))
        self._say_and_read("It is defined at {path}:{line}.", path, path=path, line=line)
        return path

    def _say_and_read(self, template: str, file: Seen, /, **fields: Any) -> Result:
        start = self.rng.randint(1, 20)
        return self.agent.act_once(template, _read(file, start, self.rng.randint(80, 160)), **fields)

    def _pick_from_suite(self) -> Function:
        if self.suite is None or self.rng.random() < 0.3:
            self.suite = self._run_suite("")
        failing = self.suite.find_all(r"^(?:FAIL|ERROR): (\S+)")
        names = {function.test for function in self.open}
        test = next(test for test in failing if test in names)
        self.agent.act(
            "The next one is {test}.",
            ("Grep", {"pattern": str(test), "path": "tests"}),
            needs=[test],
            test=test,
        )
        return self.by_test[test]

    def _run_suite(self, say: str) -> Result:
        verbose = self.rng.random() < 0.4
        result = self.agent.act_once(say, ("Bash", {"command": f"python -m unittest{' -v' * verbose}"}))
        if len(self.looked_up) < 4:
            question = f"How many tests ran in the full run after {self.agent.n_tool_calls - 1} tool calls?"
            self.looked_up.append((question, result.find(r"^Ran (\d+ tests)")))
        return result

    def _run_tests(self, function: Function) -> Result:
        module = function.test_path[:-3].replace("/", ".")
        verbose = " -v" * (self.rng.random() < 0.3)
        return self.agent.act_once(
            self._plan(), ("Bash", {"command": f"python -m unittest {module}{verbose}"})
        )

    def _fix(self, function: Function, path: Seen, failure: Result) -> None:
        agent = self.agent
        error = failure.find(rf"(?s){function.test} .*?\n(\w*Error: [^\n]*)")
        line = failure.find(rf'{function.test_path}", line (\d+), in {function.test}')
        tests = agent.act_once(
            "`{test}` fails with `{error}` in line {line}. {plan}",
            _read(self._path(function.test_path), max(1, int(line) - self.rng.randint(8, 60)), 80),
            test=failure.quote(function.test),
            error=error,
            line=line,
            plan=self._plan(),
        )
        expected = tests.find(rf"(?s)def {function.test}\(.*?( +arguments = [^\n]*)")
        whole = agent.act_once("The call is `{call}`.", _read(path), call=expected.strip())
        self._wander(self.rng.randint(1, 4))
        if self.rng.random() < 0.3:
            whole = self._try_limit(function, path, whole, error)
        self._edit(function, path, whole, error)
        n_before = self.agent.n_tool_calls
        if self.rng.random() < 0.6:
            start = int(whole.find(rf"^ *(\d+)\tdef {function.name}\("))
            agent.act(self._plan(), _read(path, start, 40))
        after = self._run_tests(function)
        self.open.remove(function)
        if self.rng.random() < 0.5:
            self.suite = self._run_suite("Now all the others. " + self._plan())
        elif self.suite is not None and self.rng.random() < 0.5:
            self.suite = None
        if self.rng.random() < 0.7:
            self._note_change(function)
        agent.answer(
            "Fixed `{name}` in {path}: `{test}` failed with `{error}`, and now {count} pass.{note}",
            name=function.name,
            path=path,
            test=failure.quote(function.test),
            error=error,
            count=after.find(r"^Ran (\d+ tests?)"),
            needs=[after],
            note="" if n_before % 2 else " The other failures are not touched by it.",
        )

    def _edit(self, function: Function, path: Seen, whole: Result, error: Seen) -> None:
        chunk = _function_text(whole, function.name)
        if function.bad:
            fixed = chunk.replace(function.bad, function.good)
        else:
            fixed = chunk.replace('    """\n', f'    """\n{function.good}', 1)
        old, new = chunk, fixed
        if function.bad and whole.plain.count(function.bad) == 1:
            old, new = function.bad, function.good
        self.agent.act(
            "I see: the function {symptom} because of this. {plan}",
            ("Edit", {"file_path": path, "old_string": whole.quote(old), "new_string": new}),
            needs=[error],
            symptom=function.symptom,
            plan=self._plan(),
        )

    def _try_limit(self, function: Function, path: Seen, whole: Result, error: Seen) -> Result:
        """Change a constant, which does not help, and take it back."""
        constant = self.rng.choice(whole.find_all(r"\t([A-Z_]+_LIMIT = \d+)"))
        name = constant.split(" = ")[0]
        other = f"{name} = {self.rng.randint(1000, 99999)}"
        self.agent.act(
            "Perhaps {constant} is wrong.",
            ("Edit", {"file_path": path, "old_string": constant, "new_string": other}),
            needs=[error],
            constant=constant,
        )
        failed = self._run_tests(function)
        self.agent.act(
            "That was not the reason; I take it back.",
            ("Edit", {"file_path": path, "old_string": other, "new_string": constant}),
            needs=[failed],
        )
        return self.agent.act_once("", _read(path)) if self.rng.random() < 0.5 else whole

    def _note_change(self, function: Function) -> None:
        heading = "## Unreleased\n"
        tag = self.guide.find(r"tag `(\[.+?\])`")
        limit = {} if self.rng.random() < 0.5 else {"offset": 1, "limit": 12}
        log = self.agent.act_once("", ("Read", {"file_path": self._path("CHANGELOG.md"), **limit}))
        entry = f"{heading}- {tag} `{function.name}`: {function.symptom}; fixed\n"
        edit = {
            "file_path": self._path("CHANGELOG.md"),
            "old_string": log.quote(heading),
            "new_string": entry,
        }
        self.agent.act("", ("Edit", edit), needs=[tag])

    def _look_back(self) -> None:
        self.rng.shuffle(self.looked_up)
        n = self.rng.randint(1, 3)
        asked, self.looked_up = self.looked_up[:n], self.looked_up[n:]
        self.agent.hear(" ".join(question for question, _ in asked))
        fields: dict[str, Any] = {f"value{number}": value for number, (_, value) in enumerate(asked)}
        self.agent.answer("; ".join(f"it is {{{name}}}" for name in fields), **fields)

    def _path(self, path: str) -> Seen:
        """The path as the listing of the repository shows it."""
        return self.listing.quote(f"{self.root}/{path}")


def _read(path: str, offset: int = 1, limit: int | None = None) -> Call:
    return "Read", {"file_path": path, **({} if limit is None else {"offset": offset, "limit": limit})}


def _function_text(result: Result, name: str) -> str:
    text = result.plain
    start = text.index(f"def {name}(")
    return text[start:].split("\n\ndef ", 1)[0].rstrip("\n") + "\n"
