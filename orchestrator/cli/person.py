"""person: tokens for people who mirror this project on other machines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from orchestrator.cli.declaring import typer
from orchestrator.cli.opening import changing, reading
from orchestrator.cli.options import AsJson
from orchestrator.cli.output import note, print_json, say

if TYPE_CHECKING:
    from orchestrator.domain.json_types import JsonObject

Name = Annotated[
    str, typer.Argument(metavar="NAME", help="Whose it is and for which machine, such as anna-laptop.")
]


def add(name: Name, as_json: AsJson = False) -> None:
    """Make a token for a person's mirror on another machine; it is shown this once."""
    from orchestrator.commands import persons

    with changing(create=True) as opened:
        token = persons.add(opened.store, name)
    if as_json:
        print_json({"name": name, "token": token})
        return
    say(token)
    note("it is not shown again; on the other machine: lifecycle mirror URL --token-file FILE --folder DIR")


def revoke(name: Name, as_json: AsJson = False) -> None:
    """End a person's token; what was mirrored stays where it is."""
    from orchestrator.commands import persons

    with changing() as opened:
        is_new = persons.revoke(opened.store, name)
    if as_json:
        print_json({"name": name, "revoked": is_new})
        return
    say(f"{name} is revoked" if is_new else f"{name} was revoked before")


def show(as_json: AsJson = False) -> None:
    """List the tokens of people."""
    from orchestrator.commands.persons import persons_view

    with reading() as opened:
        found: list[JsonObject] = opened.store.read(persons_view)
    if as_json:
        print_json(found)
        return
    for each in found:
        state = f"revoked {each['revoked_at']}" if each["revoked_at"] else f"since {each['created_at']}"
        say(f"{each['name']}: {state}")
    if not found:
        say("nobody has a token for a mirror; `lifecycle person add NAME` makes one")


def register(app: typer.Typer) -> None:
    person = typer.Typer(no_args_is_help=True, help="Tokens of people who mirror this project elsewhere.")
    person.command()(add)
    person.command("list")(show)
    person.command()(revoke)
    app.add_typer(person, name="person")
