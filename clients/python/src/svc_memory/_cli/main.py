"""The command line: its commands and their options."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence

from .._client import Client
from ..gen.routes import VERSION
from . import memory, record
from .credentials import read_credentials
from .errors import end_with

Work = Callable[[memory.Desk, argparse.Namespace], None]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command, and return its exit code: 0, 2 bad input, 3 not found, 4 no access, 5 retry later, 1 otherwise."""
    options = _build().parse_args(arguments)
    try:
        url, key = read_credentials()
        with Client(url, key) as svc:
            options.work(memory.Desk(svc, as_json=options.json), options)
        sys.stdout.flush()
    except BrokenPipeError:
        # Whoever read the answer has seen enough of it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except KeyboardInterrupt:
        return 130
    except Exception as error:
        return end_with(error, as_json=options.json)
    return 0


def _count(least: int, most: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        if not (text.isascii() and text.isdigit() and least <= int(text) <= most):
            raise argparse.ArgumentTypeError(f"not a whole number from {least} to {most}")
        return int(text)

    return read


def _build() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="svc-memory",
        description="The memory at a terminal: of the service that SVC_URL and SVC_KEY name.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=VERSION)
    commands = parser.add_subparsers(metavar="<command>", required=True)

    def command(name: str, work: Work, description: str) -> argparse.ArgumentParser:
        one = commands.add_parser(name, help=description, description=description, allow_abbrev=False)
        one.add_argument("--json", action="store_true", help="write the answer as JSON")
        one.set_defaults(work=work)
        return one

    command("whoami", memory.whoami, "show which workspace and key the command line uses")
    one = command("brief", memory.brief, "show what an agent should know at the start of a session")
    one.add_argument(
        "--max-tokens", metavar="<tokens>", type=_count(50, 20_000), help="length of the text; default 1000"
    )
    one.add_argument("--about", metavar="<subject>", help="only facts about this subject")
    one = command("recall", memory.recall, "search the memory; `-` reads the query from standard input")
    one.add_argument("query", nargs="+")
    one.add_argument("--limit", metavar="<results>", type=_count(1, 100), help="the most results; default 10")
    one.add_argument("--explain", action="store_true", help="say of each result why it was found")
    one.add_argument("--why-not", metavar="<ids>", nargs="+", help="say why these units are not among the results")
    one = command("read", memory.read, "show units whole; of facts also their sources, with --history their changes")
    one.add_argument("ids", nargs="+")
    one.add_argument("--history", action="store_true", help="show who changed a fact, when and why")
    _add_writing(command)
    return parser


def _add_writing(command: Callable[[str, Work, str], argparse.ArgumentParser]) -> None:
    one = command("remember", memory.remember, "store one statement; `-` reads it from standard input")
    one.add_argument("statement", nargs="+")
    one.add_argument("--kind", choices=["fact", "preference", "instruction", "observation"])
    one.add_argument("--said-by", choices=["user", "agent"], help="who says so; default: agent")
    one.add_argument("--subject", metavar="<name>", help="with --predicate and --object: lets contradictions be found")
    one.add_argument("--predicate", metavar="<words>")
    one.add_argument("--object", metavar="<words>")
    one.add_argument("--valid-from", metavar="<time>", help="it is true from then on; RFC 3339")
    one.add_argument("--valid-to", metavar="<time>", help="it is true until then; RFC 3339")
    one.add_argument("--tag", metavar="<tags>", nargs="+")
    one = command("correct", memory.correct, "change a unit, or take it back as wrong; its history stays")
    one.add_argument("id")
    one.add_argument("--reason", metavar="<text>", required=True, help="why")
    one.add_argument(
        "--statement", metavar="<text>", help="what is true instead; without this and --valid-to it is taken back"
    )
    one.add_argument("--valid-to", metavar="<time>", help="it was true until then; RFC 3339")
    one = command("forget", memory.forget, "archive a unit so that it is no longer recalled; a person can restore it")
    one.add_argument("id")
    one.add_argument("--reason", metavar="<text>", required=True, help="why")
    one.add_argument("--erase", action="store_true", help="delete its content for ever and show the receipt")
    one = command(
        "forget-where",
        memory.forget_where,
        "forget all units that meet the given conditions; without --yes, count them",
    )
    one.add_argument("--reason", metavar="<text>", required=True, help="why")
    one.add_argument("--type", metavar="<types>", nargs="+", help="fact, decision, entity, …")
    one.add_argument("--tag", metavar="<tags>", nargs="+", help="units with one of these tags")
    one.add_argument("--created-by", metavar="<who>", help="such as key:<id>")
    one.add_argument("--agent", metavar="<name>", help="facts and episodes from sessions of this agent")
    one.add_argument("--session", metavar="<id>", help="facts and episodes from this session")
    one.add_argument("--said-by", metavar="<attributions>", nargs="+", help="such as imported or agent_inferred")
    one.add_argument("--metadata", metavar="<json>", help="an object whose members the metadata has")
    one.add_argument("--from", dest="from_", metavar="<time>", help="created then or later; a day or an RFC 3339 time")
    one.add_argument("--to", metavar="<time>", help="created before then, or on that day")
    one.add_argument("--erase", action="store_true", help="delete their content for ever")
    one.add_argument("--yes", action="store_true", help="do it")
    one = command(
        "record", record.record, "record the transcript of a conversation; recording it again adds what is new"
    )
    one.add_argument("transcript")
    one.add_argument(
        "--client",
        metavar="<name>",
        default="claude-code",
        help="whose conversation it is; with the session's name it makes the session's external id; "
        "default: claude-code",
    )
    one.add_argument(
        "--session", metavar="<name>", help="name of the session; default: the file's name without its ending"
    )
    one.add_argument("--done", action="store_true", help="the conversation is over: make facts and an episode of it")
