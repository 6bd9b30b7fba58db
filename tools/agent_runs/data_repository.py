"""Configuration (JSON), tables (CSV) and logs of services, with incidents and bad settings, by a seed."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass

SERVICES = [
    "checkout", "ledger", "catalog", "search", "billing", "mailer", "identity", "stock", "quotes", "exports",
]  # fmt: skip
ENVIRONMENTS = ["production", "staging", "preview"]
SITES = ["ams", "fra", "dub", "waw", "mil"]
REGIONS = ["north", "south", "east", "west", "islands"]
TIERS = ["basic", "plus", "enterprise"]
NAMES = [
    "Alder", "Birch", "Cedar", "Elm", "Hazel", "Juniper", "Larch", "Maple", "Oak", "Pine", "Rowan", "Spruce",
    "Willow", "Yew", "Ash", "Beech",
]  # fmt: skip
TRADES = ["Bakery", "Tools", "Textiles", "Books", "Optics", "Farms", "Ceramics", "Paper"]
SETTINGS = ["timeout_ms", "retry_budget", "pool_size", "cache_entries", "batch_rows", "queue_depth"]
EVENTS = [
    "request handled in {n} ms", "cache refreshed with {n} entries", "batch of {n} rows written",
    "session {id} renewed", "worker {n} idle", "health check answered", "token {id} rotated",
    "upload of application/json refused",
]  # fmt: skip
WARNINGS = ["slow answer of {n} ms from {host}", "queue depth at {n}", "retry {n} for job {id}"]

Configuration = dict[str, dict[str, int | str]]
"""Settings by section and key."""

CHECK = '''"""Check the configuration of one environment: python check_config.py ENVIRONMENT"""
import csv, json, pathlib, sys

hosts = {row["host"] for row in csv.DictReader(open("data/hosts.csv"))}
bad = 0
for file in sorted(pathlib.Path("config", sys.argv[1]).glob("*.json")):
    config = json.loads(file.read_text())
    for section, settings in config.items():
        for key, value in settings.items():
            if key.endswith("_host") and value not in hosts:
                message = f"ERROR unknown host {value!r} (data/hosts.csv)"
            elif key.endswith("_timeout_ms") and value > 9000:
                message = f"ERROR {value} is above the limit of 9000"
            elif key.endswith("_pool_size") and value % 4:
                message = f"ERROR pool size {value} is no multiple of 4"
            else:
                continue
            bad += 1
            print(f"{file}: {section}.{key}: {message}")
        print(f"{file}: {section}: {len(settings)} settings checked")
print(f"{bad} problems")
sys.exit(bool(bad))
'''


@dataclass(frozen=True)
class Incident:
    """A request that failed: the gateway logs its id, the service behind it the reason."""

    request: str
    service: str
    host: str
    pool: str  # the key of the setting in the service's configuration
    minute: str  # HH:MM of the failure


@dataclass(frozen=True)
class DataRepository:
    """The files by path, what went wrong, and the settings that do not pass the check."""

    files: dict[str, str]
    incidents: list[Incident]
    bad_settings: dict[str, list[tuple[str, str]]]  # by environment: file and key
    different: list[tuple[str, str]]  # service and key whose values differ between staging and production


def make_data_repository(rng: random.Random) -> DataRepository:
    """Return 30 configurations, 3 tables of 90 to 500 rows and 11 logs of 60 to 240 lines."""
    hosts = [f"{service[:3]}-{site}-{rng.randint(10, 99)}.internal" for service in SERVICES for site in SITES]
    configs = _make_configs(rng, hosts)
    different = []
    for service in rng.sample(SERVICES, 5):
        section = rng.choice(list(configs["staging"][service]))
        key = rng.choice([key for key in configs["staging"][service][section] if key.endswith("_entries")])
        configs["staging"][service][section][key] = 7 * rng.randint(1301, 5000)
        different.append((service, key))
    services = rng.sample(SERVICES, 9)  # no setting is bad in two environments
    bad = {
        environment: _spoil(rng, environment, configs[environment], services[place::3])
        for place, environment in enumerate(ENVIRONMENTS)
    }
    incidents = [_make_incident(rng, service, hosts) for service in rng.sample(SERVICES, 6)]
    files = {
        f"config/{environment}/{service}.json": json.dumps(config, indent=2) + "\n"
        for environment, services in configs.items()
        for service, config in services.items()
    }
    files |= _make_tables(rng, hosts) | _make_logs(rng, hosts, incidents)
    files |= {"check_config.py": CHECK, "docs/runbook.md": _make_runbook(rng)}
    return DataRepository(files, incidents, bad, different)


def _make_configs(rng: random.Random, hosts: list[str]) -> dict[str, dict[str, Configuration]]:
    """By environment, service and section; keys are unique in a file, and values shared by environments."""
    shared: dict[str, Configuration] = {}
    for service in SERVICES:
        sections: Configuration = {}
        for section in rng.sample(SERVICES, rng.randint(4, 8)):
            settings: dict[str, int | str] = {
                f"{section}_{name}": 4 * rng.randint(40, 2200) for name in SETTINGS
            }
            settings[f"{section}_host"] = rng.choice(hosts)
            settings[f"{section}_token_id"] = f"tok_{rng.getrandbits(40):010x}"
            sections[section] = settings
        shared[service] = sections
    return {environment: json.loads(json.dumps(shared)) for environment in ENVIRONMENTS}


def _spoil(
    rng: random.Random, environment: str, configs: dict[str, Configuration], services: list[str]
) -> list[tuple[str, str]]:
    """Make a setting of each service fail the check; return their files and keys."""
    spoilt = []
    for service in services:
        settings = configs[service][rng.choice(list(configs[service]))]
        ending = rng.choice(("_host", "_timeout_ms", "_pool_size"))
        key = next(key for key in settings if key.endswith(ending))
        spoilt.append((f"config/{environment}/{service}.json", key))
        bad_host = f"old-{rng.choice(SITES)}-{rng.randint(100, 999)}.internal"
        bad: dict[str, int | str] = {
            "_host": bad_host,
            "_timeout_ms": rng.randint(9001, 99999),
            "_pool_size": 4 * rng.randint(9, 90) + 1,
        }
        settings[key] = bad[ending]
    return spoilt


def _make_incident(rng: random.Random, service: str, hosts: list[str]) -> Incident:
    request = f"req-{rng.getrandbits(48):012x}"
    pool = f"{service}-{rng.choice(('rw', 'ro', 'batch'))}-{rng.randint(100, 999)}"
    return Incident(
        request, service, rng.choice(hosts), pool, f"{rng.randint(8, 19):02}:{rng.randint(0, 59):02}"
    )


def _make_tables(rng: random.Random, hosts: list[str]) -> dict[str, str]:
    customers = [f"C{rng.randint(10**7, 10**8 - 1)}" for _ in range(90)]
    rows = ["customer,name,tier,manager,contract"]
    rows += [
        f"{id},{rng.choice(NAMES)} {rng.choice(NAMES)} {rng.choice(TRADES)},{rng.choice(TIERS)},"
        f"{rng.choice(NAMES).lower()}.{rng.choice(NAMES).lower()},K-{rng.randint(10**5, 10**6)}"
        for id in customers
    ]
    orders = ["order,month,region,customer,cents,status"]
    orders += [
        f"O{rng.randint(10**8, 10**9 - 1)},2026-{rng.randint(1, 6):02},{rng.choice(REGIONS)},"
        f"{rng.choice(customers)},{rng.randint(900, 400000)},{rng.choice(('paid', 'open', 'refunded'))}"
        for _ in range(500)
    ]
    machines = ["host,zone,cpus,image,owner"]
    machines += [
        f"{host},zone-{rng.randint(1, 9)},{rng.choice((4, 8, 16))},"
        f"img-2026.{rng.randint(1, 6)}.{rng.randint(0, 400)},{rng.choice(NAMES).lower()}-team"
        for host in hosts
    ]
    tables = {"customers": rows, "orders": orders, "hosts": machines}
    return {f"data/{name}.csv": "\n".join(lines) + "\n" for name, lines in tables.items()}


def _make_logs(rng: random.Random, hosts: list[str], incidents: list[Incident]) -> dict[str, str]:
    logs = {}
    for service in ["gateway", *SERVICES]:
        lines = [_log_line(rng, hosts) for _ in range(rng.randint(60, 240))]
        for incident in incidents:
            when = f"2026-03-02T{incident.minute}:{rng.randint(10, 59)}"
            if service == "gateway":
                lines.append(f"{when} ERROR {incident.request} 502 from {incident.service}")
            elif service == incident.service:
                lines.append(f"{when} INFO {incident.request} accepted")
                reason = f"PoolExhausted: {incident.pool} has no free connection to {incident.host}"
                lines.append(f"{when} ERROR {incident.request} {reason}")
        logs[f"logs/{service}.log"] = "\n".join(sorted(lines)) + "\n"
    return logs


def _log_line(rng: random.Random, hosts: list[str]) -> str:
    level, events = rng.choices((("INFO", EVENTS), ("WARN", WARNINGS)), (9, 1))[0]
    when = f"2026-03-02T{rng.randint(7, 20):02}:{rng.randint(0, 59):02}:{rng.randint(0, 59):02}"
    event = rng.choice(events).format(
        n=rng.randint(2, 4000), id=f"{rng.getrandbits(32):08x}", host=rng.choice(hosts)
    )
    return f"{when} {level} req-{rng.getrandbits(48):012x} {event}"


def _make_runbook(rng: random.Random) -> str:
    parts = [
        f"## {service}\n\nOn call: `{service}-oncall-{rng.randint(1000, 9999)}`. Escalate after "
        f"{rng.randint(5, 60)} minutes with the form F-{rng.randint(10**4, 10**5)}.\n"
        "When a pool is exhausted, restart the consumer first; then look at the host's image.\n"
        "Settings are changed in staging first, and checked with `python check_config.py staging`.\n"
        for service in SERVICES
    ]
    top = "# Runbook\n\nOf a database, look at `pg_stat_activity` and `max_connections` first.\n"
    return "\n".join([top, *parts])
