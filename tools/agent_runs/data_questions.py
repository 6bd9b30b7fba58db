"""Runs that answer questions about configuration, tables and logs of services, and correct settings."""

from __future__ import annotations

import random
from pathlib import Path

from tools.agent_runs.agent import Agent, Call, Result, Seen
from tools.agent_runs.data_repository import ENVIRONMENTS, REGIONS, SERVICES, make_data_repository
from tools.agent_runs.run import AgentRun
from tools.agent_runs.workspace import Workspace

FAMILY = "data"
MIN_TOOL_CALLS = 60

ASIDES = (
    "I want to be sure that this is not a coincidence.",
    "A look at the neighbours costs little.",
    "If it was a network problem, a `ConnectionResetError` would be logged by several services at once.",
    "The order of the lines is that of their time stamps, so I can read from the top.",
    "`Content-Type: application/json` is what I would expect here, but it plays no part.",
    "This could also come from a deployment; I keep that in mind.",
    "With a database I would ask `pg_stat_activity` or raise `max_connections`; here there is none.",
    "Counting with a command is safer than by eye.",
    "The check reports the file and the key, which is enough to find the place.",
    "Other environments have the same layout, so a comparison is cheap.",
    "I change one setting at a time, in order to see what each change does.",
)


def make_data_run(seed: int, folder: Path) -> AgentRun:
    """Return a run of 60 tool calls or more on files that are written to the folder."""
    return _DataQuestions(seed, folder).run()


class _DataQuestions:
    def __init__(self, seed: int, folder: Path) -> None:
        self.rng = random.Random(f"{FAMILY} {seed}")
        self.seed = seed
        self.repository = make_data_repository(self.rng)
        workspace = Workspace(folder, "/srv/ops", numbers_lines=False)
        workspace.write(self.repository.files)
        self.agent = Agent(workspace)
        self.incidents = list(self.repository.incidents)
        self.environments = list(ENVIRONMENTS)
        self.different = list(self.repository.different)
        self.later: list[tuple[str, Seen]] = []  # questions about results of now, which come much later

    def run(self) -> AgentRun:
        """Answer question after question."""
        while self.agent.n_tool_calls < MIN_TOOL_CALLS:
            kinds = [self._sum_orders, self._sum_orders]
            kinds += [self._explain_incident] * 3 if self.incidents else []
            kinds += [self._pass_check] * 2 if self.environments else []
            kinds += [self._align] * 2 if self.different else []
            self.rng.choice(kinds)()
            if len(self.later) > 1 and self.rng.random() < 0.3:
                self._ask_later()
        while self.later and self.rng.random() < 0.8:
            self._ask_later()
        return self.agent.finish(f"{FAMILY}-{self.seed}", FAMILY)

    def _hear(self, text: str) -> None:
        self.agent.hear(text)
        if self.agent.n_tool_calls == 0:
            self.listing = self.agent.act_once(self._aside(), ("list_directory", {"pattern": "**/*"}))

    def _path(self, path: str) -> Seen:
        """The path as the listing shows it."""
        return self.listing.quote(path)

    def _explain_incident(self) -> None:
        rng, agent = self.rng, self.agent
        incident = self.incidents.pop()
        self._hear(
            f"Something failed at {incident.minute} on 2 March. What was the reason, and whom do I call?"
        )
        self._look_around(rng.randint(1, 3))
        pattern = rng.choice((f"{incident.minute}:.. ERROR", "ERROR", f"T{incident.minute[:4]}"))
        gateway = agent.act_once(self._aside(), _search(pattern, self._path("logs/gateway.log")))
        request = gateway.find(rf"{incident.minute}:\d\d ERROR (req-\w+) 502")
        service = gateway.find(rf"{request} 502 from (\w+)")
        self._look_around(rng.randint(0, 2))
        if rng.random() < 0.5:
            found = agent.act_once(
                "The gateway lost {r}. " + self._aside(), _search(str(request), "logs"), r=request
            )
        else:
            log = self._path(f"logs/{service}.log")
            text = "The gateway lost {r}, of {s}. " + self._aside()
            found = agent.act_once(text, _read(log), r=request, s=service)
        host = found.find(rf"{request} PoolExhausted: .* to (\S+)")
        pool = found.find(rf"{request} PoolExhausted: (\S+) has")
        config = self._path(f"config/production/{service}.json")
        table = self._path("data/hosts.csv")
        hosts, _ = agent.act(
            "{service} had no free connection to {host}. " + self._aside(),
            rng.choice((_search(str(host), table), _read(table))),
            _read(config),
            service=service,
            host=host,
        )
        image = hosts.find(rf"{host},zone-\d,\d+,(img-[\d.]+)")
        team = hosts.find(rf"{host},zone-\d,\d+,img-[\d.]+,(\S+)")
        zone = hosts.find(rf"{host},(zone-\d)")
        self._look_around(rng.randint(0, 2))
        book = agent.act_once(self._aside(), _read(self._path("docs/runbook.md")))
        contact = book.find(rf"On call: `({service}-oncall-\d+)`")
        form = book.find(rf"(?s)## {service}\n.*?form (F-\d+)")
        agent.answer(
            "{request} failed since {pool} was exhausted; {host} runs {image} of {team}. Call {contact}.",
            request=request,
            pool=pool,
            host=host,
            image=image,
            team=team,
            contact=contact,
        )
        self.later += [
            (f"Which form do I need for the incident of {incident.minute}?", form),
            (f"In which zone is the machine of the incident of {incident.minute}?", zone),
        ]

    def _pass_check(self) -> None:
        environment = self.environments.pop(self.rng.randrange(len(self.environments)))
        self._hear(f"Please make check_config.py pass for {environment}.")
        command = f"python check_config.py {environment}"
        checked = self.agent.act_once(self._aside(), _run(command))
        for file, key in self.repository.bad_settings[environment]:
            if self.rng.random() < 0.4:
                checked = self.agent.act_once(self._aside(), _run(command))
            self._correct(environment, file, key, checked, command)
        last = self.agent.act_once(self._aside(), _run(command))
        self.agent.answer("The check ends with `{n}`.", n=last.find(r"^(\d+ problems)"), needs=[last])

    def _correct(self, environment: str, file: str, key: str, checked: Result, command: str) -> None:
        """Set a setting to its value in another environment, perhaps after a guess that does not pass."""
        agent, path = self.agent, checked.quote(file)
        place = checked.find(rf"{file}: (\w+\.{key}): ERROR")
        error = checked.find(rf"{file}: \w+\.{key}: ERROR (.*)")
        config = agent.act_once(
            "In {path}, {place} is wrong: {error}. " + self._aside(),
            _read(path),
            path=path,
            place=place,
            error=error,
        )
        old: str = config.find(rf'^( *"{key}": .*)$')
        if self.rng.random() < 0.3:
            guess = f'    "{key}": 99991' + "," * old.endswith(",")
            agent.act(self._aside(), _edit(path, old, guess))
            failed = agent.act_once(self._aside(), _run(command))
            repeated = failed.find(rf"{file}: \w+\.{key}: ERROR (.*)")
            agent.act("That does not do: {error}.", _search(key, "config"), error=repeated)
            old = guess
        self._look_around(self.rng.randint(0, 2))
        other = next(name for name in ENVIRONMENTS if name != environment)
        model = agent.act_once(self._aside(), _read(self._path(file.replace(environment, other))))
        right = model.find(rf'^( *"{key}": .*)$')
        agent.act(f"{other} has another value. " + self._aside(), _edit(path, old, right))

    def _align(self) -> None:
        rng, agent = self.rng, self.agent
        service, key = self.different.pop()
        self._hear(
            f"Do the cache sizes of {service} differ between staging and production? Then align staging."
        )
        paths = [self._path(f"config/{name}/{service}.json") for name in ("staging", "production")]
        staging, production = paths
        self._look_around(rng.randint(0, 3))
        if rng.random() < 0.5:
            mine, other = agent.act(self._aside(), _read(staging), _read(production))
        else:
            mine = other = agent.act_once(self._aside(), _run(f"diff {staging} {production}"), needs=paths)
        old = mine.find(rf'^(?:< )?( *"{key}": \d+,?)$')
        new = (other.find_all(rf'^(?:> )? *("{key}": \d+,?)$') or [old])[-1]
        agent.act(
            "`{old}` in staging differs from production. " + self._aside(),
            _edit(staging, old.strip(), new),
            old=old.strip(),
        )
        if rng.random() < 0.6:
            checked = agent.act_once(
                self._aside(), _run("python check_config.py staging"), needs=[self._path("check_config.py")]
            )
            n = checked.find(r"^(\d+ problems)")
            agent.answer("Staging now has {new}; the check reports {n}.", new=new, n=n)
        else:
            agent.answer("Staging now has {new}, as production has.", new=new)

    def _sum_orders(self) -> None:
        rng, agent = self.rng, self.agent
        region, month = rng.choice(REGIONS), f"2026-{rng.randint(1, 6):02}"
        self._hear(f"What do the orders of {region} in {month} sum up to, and who ordered most?")
        limit = rng.choice((60, 150, 600))
        table = agent.act_once(self._aside(), _read(self._path("data/orders.csv"), 1, limit))
        self._look_around(rng.randint(0, 2))
        chosen = f'$2=="{month}" && $3=="{region}"'
        rows = agent.act_once(
            "The columns are `{columns}`. " + self._aside(),
            _run(f"awk -F, '{chosen}' data/orders.csv"),
            columns=table.find("^(order,.*)$"),
        )
        total = agent.act_once("", _run(f"awk -F, '{chosen} {{s+=$5}} END {{print s, NR}}' data/orders.csv"))
        by_customer = f"awk -F, '{chosen} {{s[$4]+=$5}} END {{for (c in s) print s[c], c}}' data/orders.csv"
        ranking = agent.act_once(self._aside(), _run(f"{by_customer} | sort -k1,1nr -k2"))
        customer = ranking.find(r"^\d+ (C\d+)")
        pattern = rng.choice((str(customer), str(customer)[:2], "enterprise|plus|basic"))
        people = agent.act_once(
            "{c} is the largest. " + self._aside(),
            _search(pattern, self._path("data/customers.csv")),
            c=customer,
        )
        name = people.find(rf"{customer},([^,]+),")
        manager = people.find(rf"{customer},[^,]+,\w+,([^,]+),")
        agent.answer(
            "They sum up to {total} cents; most by {name} ({customer}; manager {manager}).",
            total=total.find(r"^(\d+) "),
            name=name,
            customer=customer,
            manager=manager,
        )
        contract = people.find(rf"{customer},.*,(K-\d+)")
        first = rows.find(r"^(O\d+),")
        self.later += [
            (f"Which contract does the largest customer of {region} in {month} have?", contract),
            (f"Which order of {region} in {month} stands first in the table?", first),
        ]

    def _look_around(self, n: int) -> None:
        """Read and search what turns out useless."""
        rng = self.rng
        for _ in range(n):
            service, environment = rng.choice(SERVICES), rng.choice(ENVIRONMENTS)
            start = rng.randint(1, 100)
            log = self._path(f"logs/{service}.log")
            calls: list[Call] = [
                _read(log),
                _read(log, start, start + rng.randint(40, 150)),
                _read(self._path(f"config/{environment}/{service}.json")),
                _search("WARN", rng.choice(("logs", log))),
                _search(rng.choice(SERVICES), self._path(f"config/{environment}")),
                _run(f"tail -n {rng.randint(30, 90)} {log}"),
                _run("wc -l logs/*.log data/*.csv config/*/*.json"),
                ("list_directory", {"pattern": rng.choice(("**/*", "config/**/*", "logs/*"))}),
                _read(self._path("data/hosts.csv")),
            ]
            chosen = rng.sample(calls, rng.choice((1, 1, 2)))
            is_tail = any("tail" in given.get("command", "") for _, given in chosen)
            self.agent.act(self._aside(), *chosen, needs=[log] * is_tail)

    def _ask_later(self) -> None:
        question, value = self.later.pop(self.rng.randrange(len(self.later)))
        self.agent.hear(question)
        self.agent.answer("That is {value}.", value=value)

    def _aside(self) -> str:
        """Sentences of general knowledge, which need no result."""
        return " ".join(self.rng.sample(ASIDES, self.rng.randint(2, 6)))


def _read(path: str, start_line: int = 1, end_line: int | None = None) -> Call:
    lines = {} if end_line is None else {"start_line": start_line, "end_line": end_line}
    return "read_file", {"path": path, **lines}


def _search(pattern: str, path: str) -> Call:
    return "search_files", {"pattern": pattern, "path": path}


def _edit(path: str, old: str, new: str) -> Call:
    return "edit_file", {"path": path, "old_text": old, "new_text": new}


def _run(command: str) -> Call:
    return "run_command", {"command": command}
