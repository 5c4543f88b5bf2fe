"""What sessions begun by earlier versions lack in their snapshots."""

from __future__ import annotations

from dataclasses import asdict, replace

from orchestrator.config.shipped import shipped_pack
from orchestrator.domain.documents import Catalogue
from orchestrator.domain.json_types import JsonObject


def upgraded(data: JsonObject) -> JsonObject:
    """The snapshot as this version reads it; one from before documents were data gets the shipped ones, with the required
    sections and the words of feedback that it kept."""
    if data.get("version", 2) > 1:
        return data
    shipped = shipped_pack()
    sign_offs = {key for key, around in shipped.rounds.items() if around.signs_off}
    rounds = {key: {**kept, "signs_off": key in sign_offs} for key, kept in data["rounds"].items()}
    required, feedback = data["gates"].get("required_sections", {}), data.get("feedback", {})
    documents = Catalogue(
        {
            each.kind: replace(
                each,
                required=tuple(required.get(each.kind, ())),
                feedback=tuple(feedback.get(each.task, ())),
            )
            for each in shipped.documents
        }
    )
    return {**data, "version": 2, "rounds": rounds, "documents": asdict(documents)}
