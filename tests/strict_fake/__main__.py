"""The fake as a process: serve a scenario, write its repository, print its prompts, sum up a log."""

import argparse
import asyncio
import json
import os
from typing import Any

from tests.strict_fake import scenarios
from tests.strict_fake.fake import StrictFake
from tests.strict_fake.faults import Fault
from tests.strict_fake.log import summarise
from tests.strict_fake.options import DIALECTS
from tests.strict_fake.scenario_repo import make_repo
from tests.strict_fake.words import words

_LOOK_FOR_PARENT_SECONDS = 0.5


def main(argv: list[str] | None = None) -> None:
    args = _parser().parse_args(argv)
    if args.command == "serve":
        asyncio.run(_serve(args))
    elif args.command == "summary":
        print(json.dumps(summarise(args.log), indent=1))
    elif args.command == "repo":
        make_repo(args.folder, args.seed, scenarios.build(args.scenario, args.seed).needles)
    else:
        print(json.dumps(scenarios.build(args.scenario, args.seed).prompts))


async def _serve(args: argparse.Namespace) -> None:
    faults: dict[int, Fault] = {}
    for text in args.fault:
        faults.update(Fault.parse(text))
    names = words(
        "window max_output reject_sum bytes_per_token ttl min_cache summary dialect alternate repo seed tps log "
        "bodies port "
        "trained_window"
    )
    options: dict[str, Any] = {name: getattr(args, name) for name in names}
    async with StrictFake(args.scenario, faults=faults, quirks=args.quirk, models=args.model, **options) as fake:
        steps = len(fake.scenario.steps) if fake.scenario else 0
        print(
            json.dumps({"port": fake.port, "pid": os.getpid(), "steps": steps, "window": fake.server.window}),
            flush=True,
        )
        end = asyncio.get_running_loop().time() + args.max_seconds
        parent = os.getppid()
        while asyncio.get_running_loop().time() < end and os.getppid() == parent:
            await asyncio.sleep(_LOOK_FOR_PARENT_SECONDS)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="strict_fake", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    serve = commands.add_parser("serve")
    serve.add_argument("--repo", default=".")
    serve.add_argument("--port", type=int, default=0)
    serve.add_argument("--log")
    serve.add_argument("--bodies", help="a folder for the bodies of refused requests")
    serve.add_argument("--window", type=int, default=0)
    serve.add_argument("--trained-window", type=int)
    serve.add_argument("--max-output", type=int, default=64_000)
    serve.add_argument("--bytes-per-token", type=float, default=3.5)
    serve.add_argument("--ttl", type=float, default=300.0)
    serve.add_argument("--min-cache", type=int)
    serve.add_argument("--tps", type=float)
    serve.add_argument("--summary", default="faithful", help="faithful bland fail hang empty toolcall, or a text")
    serve.add_argument("--reject-sum", action="store_true")
    serve.add_argument("--alternate", action="store_true")
    serve.add_argument("--dialect", choices=DIALECTS, default="openai")
    serve.add_argument("--quirk", action="append", default=[])
    serve.add_argument("--model", action="append", default=[], help="one more model id of the lists")
    serve.add_argument("--fault", action="append", default=[], help="KIND[:ARG]@N[,N] by main request number")
    serve.add_argument("--max-seconds", type=float, default=3600.0)
    commands.add_parser("summary").add_argument("log")
    repo = commands.add_parser("repo")
    repo.add_argument("folder")
    for command in (serve, repo, commands.add_parser("prompts")):
        command.add_argument("--scenario", default="s2")
        command.add_argument("--seed", type=int, default=7)
    return parser


if __name__ == "__main__":
    main()
