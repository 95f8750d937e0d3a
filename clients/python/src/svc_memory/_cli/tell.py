"""The service's answers in words, for people at a terminal. Texts from the memory are made harmless here."""

from __future__ import annotations

from typing import Any

from .text import faint, one_line, plain, plain_json

Answer = dict[str, Any]
"""A reply as the service's JSON has it."""

_NOTHING = "Nothing relevant is stored."


def tell_whoami(me: Answer) -> str:
    workspace, key = me["workspace"], me["key"]
    whose = "none: an admin's grant" if key is None else f"{one_line(key['name'])} ({key['id']})"
    lines = [
        f"workspace  {one_line(workspace['name'])} ({workspace['id']}, {workspace['region']})",
        f"key        {whose}",
        f"scopes     {', '.join(me['scopes'])}",
        f"clearance  {me['maxSensitivity']}",
        f"expires    {me['expiresAt'] or 'never'}",
        f"service    {me['server']['version']}",
    ]
    return plain("\n".join(lines))


def tell_result(one: Answer) -> str:
    """Return a result as one line: its text, then its kind and its trust."""
    at = one.get("occurredAt") or one.get("validFrom")
    marks = [f"{one['type']} {one['id']}", f"score {one['score']:.2f}", f"trust {one['trustScore']}"]
    marks += ["contested"] if one["contested"] else []
    marks += ["stale"] if one["stale"] else []
    marks += [f"outdated by {one['outdatedBy']}"] if "outdatedBy" in one else []
    marks += [at[:10]] if at else []
    later = ""
    if "newer" in one:
        newer = one["newer"]
        ended = ", it has ended" if newer.get("ended") else ""
        where = faint(f"[{one_line(newer['id'] + ', ' + newer['occurredAt'][:10])}]")
        later = f"\n    said later{ended}: {one_line(newer['text'])} {where}"
    return f"- {one_line(one['text'])} {faint('[' + one_line(', '.join(marks)) + ']')}{later}"


def tell_recalled(reply: Answer) -> str:
    pinned = {one["id"] for one in reply["pinned"]}
    every = [*reply["pinned"], *(one for one in reply["results"] if one["id"] not in pinned)]
    return "\n".join(tell_result(one) for one in every) or _NOTHING


def tell_explained(reply: Answer) -> str:
    lines: list[str] = []
    for one in reply["results"]:
        arms = (f"{arm['arm']} #{arm['rank']} {arm['score']:.3f}" for arm in one["scoreDetails"]["arms"])
        lines += [tell_result(one), f"    {one_line(one['why'])}", faint(f"    {one_line(', '.join(arms))}")]
    absent = [
        f"- not {one_line(one['id'])}: {one_line(one['reason'] + ', ' + one['explanation'])}" for one in reply["whyNot"]
    ]
    likely = f"How likely the answer is among them: {reply['evidenceConfidence']}"
    return "\n".join([*(lines or [_NOTHING]), *absent, likely])


def tell_remembered(fact: Answer) -> str:
    return one_line(f"Stored {fact['id']}: {fact['statement']}")


def tell_edit(edit: Answer) -> str:
    done = (edit["operations"] or [{}])[0]
    outcome = done.get("outcome", edit["status"])
    # An agent alone cannot undo what a person said.
    if outcome == "review":
        return one_line(f"Waits for a person to decide: review {done.get('reviewItemId', '')}")
    conflict = done.get("conflict") or {}
    contested = ""
    if conflict.get("outcome") == "contested":
        others = ", ".join(conflict["factIds"])
        contested = f"; it contradicts what is stored ({others}): a person is asked (review {conflict['reviewItemId']})"
    said = "Corrected" if outcome == "applied" else outcome
    return one_line(f"{said} {done.get('resourceId', '')}{contested}")


def tell_units(answer: Answer) -> str:
    return "\n".join(plain_json(one) for one in answer["units"] if one["unit"] is not None)
