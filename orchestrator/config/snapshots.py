"""What sessions begun by earlier versions lack in their snapshots."""

from __future__ import annotations

from orchestrator.config.shipped import shipped_pack
from orchestrator.domain.dataclass import asdict, replace
from orchestrator.domain.documents import Catalogue
from orchestrator.domain.errors import StoreError
from orchestrator.domain.json_types import JsonObject
from orchestrator.domain.pipelines import SNAPSHOT


def upgraded(data: JsonObject) -> JsonObject:
    """The snapshot as this version reads it; one from before documents were data gets the shipped ones, with the required
    sections and the words of feedback that it kept."""
    version = data.get("version", SNAPSHOT)
    if version > SNAPSHOT:
        raise StoreError(
            "the session was started by a newer version of this program",
            why=f"its snapshot has form {version}, this program knows {SNAPSHOT}",
            fix="install the newer version of team-lifecycle",
        )
    if version == SNAPSHOT:
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
    return {**data, "version": SNAPSHOT, "rounds": rounds, "documents": asdict(documents)}
