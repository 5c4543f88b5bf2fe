"""host: tokens for worker hosts on other machines, and such a host itself."""

from __future__ import annotations

import hashlib
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from orchestrator.cli.declaring import typer
from orchestrator.cli.opening import changing, reading, wake
from orchestrator.cli.options import AsJson
from orchestrator.cli.output import note, print_json, say
from orchestrator.domain.errors import UsageError

if TYPE_CHECKING:
    from orchestrator.domain.json_types import JsonObject

Name = Annotated[str, typer.Argument(metavar="NAME", help="What the host is called, such as build-1.")]
Roles = Annotated[
    str, typer.Option("--roles", metavar="A,B", help="Default: all that another machine can have.")
]


def add(
    name: Name,
    roles: Roles = "",
    slots: Annotated[
        int, typer.Option("--slots", metavar="N", help="Tasks that it may run at the same time.")
    ] = 4,
    as_json: AsJson = False,
) -> None:
    """Make a token for a worker host on another machine; it is shown this once."""
    from orchestrator.commands import hosts
    from orchestrator.project import person, read_config

    with changing(create=True) as opened:
        pack, _ = read_config(opened.project)
        token = hosts.add(opened.store, name, _listed(roles), slots, sorted(pack.roles), person())
    if as_json:
        print_json({"name": name, "token": token})
        return
    say(token)
    note("it is not shown again; on the other machine: lifecycle host join URL --token-file FILE")


def revoke(name: Name, as_json: AsJson = False) -> None:
    """End a host's token; what it has under way is done again by another host."""
    from orchestrator.commands import hosts
    from orchestrator.project import person

    with changing() as opened:
        is_new = hosts.revoke(opened.store, name, person())
        wake(opened, (name,))  # all hosts look which of their runs are still theirs
    if as_json:
        print_json({"name": name, "revoked": is_new})
        return
    say(f"{name} is revoked" if is_new else f"{name} was revoked before")


def show(as_json: AsJson = False) -> None:
    """List the tokens of hosts on other machines, and which have joined."""
    from orchestrator.commands.hosts import hosts_view

    with reading() as opened:
        found: list[JsonObject] = opened.store.read(hosts_view)
    if as_json:
        print_json(found)
        return
    for each in found:
        say(f"{each['name']}: {', '.join(each['roles'])}; {each['slots']} slots; {_state(each)}")
    if not found:
        say("no host on another machine has a token; `lifecycle host add NAME` makes one")


def audit(
    limit: Annotated[int, typer.Option("--limit", min=1, max=10_000, metavar="N", help="Entries.")] = 100,
    as_json: AsJson = False,
) -> None:
    """Show who made and revoked tokens of hosts, which hosts joined, and what they were refused."""
    from orchestrator.commands.hosts import audit_view

    with reading() as opened:
        found: list[JsonObject] = opened.store.read(lambda tx: audit_view(tx, limit))
    if as_json:
        print_json(found)
        return
    for each in found:
        detail = f": {each['detail']}" if each["detail"] else ""
        say(f"{each['at']}  {each['what']} {each['name']} by {each['who']}{detail}")
    if not found:
        say("no host on another machine was ever let in")


def _state(host: JsonObject) -> str:
    if host["revoked_at"] is not None:
        return f"revoked {host['revoked_at']}"
    joined = host["joined"]
    if not joined:
        return "not joined"
    return "; ".join(
        f"joined since {each['since']}, {each['runs']} of {each['slots']} slots in use"
        + (", draining" if each["draining"] else "")
        for each in joined
    )


def join(
    url: Annotated[str, typer.Argument(metavar="URL", help="As `lifecycle server` prints it.")],
    token_file: Annotated[
        Path, typer.Option("--token-file", metavar="FILE", help="Holds what `lifecycle host add` printed.")
    ],
    roles: Annotated[
        str, typer.Option("--roles", metavar="A,B", help="Default: all that the token is for.")
    ] = "",
    slots: Annotated[
        int | None, typer.Option("--slots", min=1, max=256, help="Default: as many as the token has.")
    ] = None,
    folder: Annotated[
        Path | None,
        typer.Option("--folder", metavar="CLONE", help="The project's repository here; default this folder."),
    ] = None,
    ca: Annotated[
        Path | None,
        typer.Option("--ca", metavar="FILE", help="Certificates (PEM) that the server's may be signed by."),
    ] = None,
) -> None:
    """Run a worker host for a project on another machine; on SIGTERM it finishes its runs and exits."""
    from orchestrator.dispatch.dashboards import state_folder
    from orchestrator.dispatch.local import child_environment, module_command

    clone = (folder or Path.cwd()).resolve()
    if not clone.is_dir():
        raise UsageError(
            f"{clone} is no folder", fix="name a clone of the project's repository with --folder"
        )
    try:
        token = token_file.resolve(strict=True).read_bytes().strip()
    except OSError as error:
        raise UsageError(
            "the token cannot be read", why=str(error), fix="name the file that has it"
        ) from error
    name = hashlib.sha256(url.encode() + b"\0" + token).hexdigest()[:16]
    state = state_folder(os.environ).with_name("hosts") / name
    command = module_command(
        "workers",
        *(
            "join",
            url,
            "--token-file",
            str(token_file.resolve()),
            "--folder",
            str(clone),
            "--state",
            str(state),
        ),
        *(("--roles", roles) if roles else ()),
        *(("--slots", str(slots)) if slots else ()),
        *(("--ca", str(ca.resolve())) if ca else ()),
    )
    note(f"a host of {url}, pid {os.getpid()}; its log is {state / 'logs' / 'workers.jsonl'}")
    os.execve(sys.executable, command, child_environment())  # noqa: S606 - our own interpreter and arguments


def _listed(text: str) -> list[str]:
    return [each.strip() for each in text.split(",") if each.strip()]


def register(app: typer.Typer) -> None:
    host = typer.Typer(no_args_is_help=True, help="Worker hosts on other machines.")
    host.command()(add)
    host.command("list")(show)
    host.command()(revoke)
    host.command()(audit)
    host.command()(join)
    app.add_typer(host, name="host")
