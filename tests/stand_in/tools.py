"""What a step names, as a call of the tool that this client offers for it; and the least document of a schema."""

from __future__ import annotations

import posixpath
import re
import shlex
from typing import Any

from tests.stand_in.turn import SEARCH, Turn


def _props(schema: dict) -> dict:
    return schema.get("properties") or {}


def _pick(turn: Turn, *patterns: str) -> str | None:
    for pat in patterns:
        for name in turn.tools:
            if re.fullmatch(pat, name.split("\0")[-1]):
                return name
    return None


def _first(props: dict, *names: str) -> str | None:
    return next((n for n in names if n in props), None)


def _required(schema: dict, args: dict) -> dict:
    for name in schema.get("required") or []:
        args.setdefault(name, sample(_props(schema).get(name) or {}))
    return args


def _at(turn: Turn, path: str) -> str:
    """The path as clients want it, who refuse one that is not absolute."""
    return posixpath.join(turn.folder, path)


def plan_shell(turn: Turn, command: str) -> tuple[str, Any] | None:
    name = _pick(
        turn,
        "Bash",
        "exec_command",
        "shell_command",
        "local_shell",
        "shell",
        "bash",
        "run_shell_command",
        "developer__shell",
        ".*(shell|terminal|execute).*",
    )
    if not name:
        return None
    props = _props(turn.tools[name])
    key = _first(props, "command", "cmd", "script") or "command"
    kind = (props.get(key) or {}).get("type")
    value: Any = ["bash", "-lc", command] if kind == "array" else command
    return name, _required(turn.tools[name], {key: value})


def plan_write(turn: Turn, path: str, content: str) -> tuple[str, Any] | None:
    name = _pick(turn, "Write", "write_file", "write", "create_file", "developer__text_editor", "text_editor")
    if name:
        props = _props(turn.tools[name])
        args = {_first(props, "file_path", "filePath", "path", "absolute_path") or "path": path}
        args[_first(props, "content", "file_text", "contents", "text") or "content"] = content
        if "command" in props:
            args["command"] = "write"
        return name, _required(turn.tools[name], args)
    name = _pick(turn, "apply_patch")
    if name:
        lines = content[:-1].split("\n") if content.endswith("\n") else content.split("\n")
        patch = "\n".join(
            ["*** Begin Patch", f"*** Add File: {path}", *("+" + x for x in lines), "*** End Patch", ""]
        )
        return name, (patch if turn.kinds.get(name) == "custom" else {"input": patch})
    return plan_shell(
        turn,
        f'mkdir -p "$(dirname {shlex.quote(path)})" && printf %s {shlex.quote(content)} > {shlex.quote(path)}',
    )


def plan_read(turn: Turn, path: str) -> tuple[str, Any] | None:
    name = _pick(turn, "Read", "read_file", "read")
    if not name:
        return plan_shell(turn, f"cat {shlex.quote(path)}")
    key = _first(_props(turn.tools[name]), "file_path", "filePath", "path", "absolute_path") or "path"
    return name, _required(turn.tools[name], {key: path})


def plan_edit(turn: Turn, path: str, old: str, new: str) -> tuple[str, Any] | None:
    name = _pick(turn, "Edit", "replace", "edit", "edit_file")
    if name:
        props = _props(turn.tools[name])
        args = {_first(props, "file_path", "filePath", "path") or "path": path}
        args[_first(props, "old_string", "oldString", "old_text") or "old"] = old
        args[_first(props, "new_string", "newString", "new_text") or "new"] = new
        return name, _required(turn.tools[name], args)
    removed, added = (["-" + x for x in old.splitlines()], ["+" + x for x in new.splitlines()])
    patch = "\n".join(
        ["*** Begin Patch", f"*** Update File: {path}", "@@", *removed, *added, "*** End Patch", ""]
    )
    name = _pick(turn, "apply_patch")
    if name:
        return name, (patch if turn.kinds.get(name) == "custom" else {"input": patch})
    return plan_shell(turn, f"apply_patch <<'PATCH'\n{patch}PATCH")


def plan(turn: Turn, step: dict) -> list[tuple[str, Any]]:
    out = []
    for one in [step, *(step.get("calls") or [])]:
        found: tuple[str, Any] | None = None
        if "write" in one:
            found = plan_write(turn, _at(turn, one["write"]["path"]), one["write"].get("content", ""))
        elif "read" in one:
            found = plan_read(turn, _at(turn, one["read"]["path"]))
        elif "edit" in one:
            found = plan_edit(turn, _at(turn, one["edit"]["path"]), one["edit"]["old"], one["edit"]["new"])
        elif "shell" in one:
            found = plan_shell(turn, one["shell"]["command"])
        elif "call" in one:
            pat = one["call"]["name"]
            name = next((n for n in turn.tools if re.search(pat, n.replace("\0", "."))), None) or one[
                "call"
            ].get("force")
            finder = _pick(turn, SEARCH.pattern)
            query = one["call"].get("search") or pat
            if (
                turn.searched and not name and query.startswith("select:")
            ):  # found, yet not in the request's list
                name = query.removeprefix("select:")
            if name:
                found = (name, one["call"].get("args") or {})
            elif finder and not turn.searched:
                found = (finder, {"query": query})
        elif "json" in one:
            name = _pick(turn, "StructuredOutput", "structured_output", "final_result.*", ".*_output_tool")
            found = (name, one["json"]) if name else None
        else:
            continue
        if found:
            out.append(found)
        elif "json" not in one:
            step.setdefault("text", "")
            step["text"] += f"[fake: no tool offered for {sorted(one)}; offered: {sorted(turn.tools)}]"
    return out


def sample(schema: dict) -> Any:
    """The smallest document a JSON schema allows (enough of it for what clients ask)."""
    for key in ("const", "default"):
        if key in schema:
            return schema[key]
    if schema.get("enum"):
        return schema["enum"][0]
    for key in ("anyOf", "oneOf", "allOf"):
        if schema.get(key):
            return sample(schema[key][0])
    kind = schema.get("type")
    kind = kind[0] if isinstance(kind, list) and kind else kind
    kind = kind.lower() if isinstance(kind, str) else ("object" if "properties" in schema else "string")
    if kind == "object":
        need = schema.get("required") or list(_props(schema))
        return {n: sample(_props(schema).get(n) or {}) for n in need}
    if kind == "array":
        return [sample(schema.get("items") or {}) for _ in range(schema.get("minItems", 0))]
    return {"number": 0, "integer": 0, "boolean": False, "null": None}.get(kind, "fake")
