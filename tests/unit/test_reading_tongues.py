"""Requests in further languages: each language has words for all that is read, and they are read alike."""
# ruff: noqa: E501 - requests are read whole

from __future__ import annotations

import pytest

from orchestrator.config import resources, shipped_yaml
from workers.builtin import analyse_request
from workers.documents.passages import passages
from workers.documents.reading_words import clause_role, column_of, priority_of, role_of, word_role
from workers.documents.tongue_words import TONGUES

LETTERED = ("people", "people_words", "compounds", "quantities")  # parts for languages that part their words


def test_every_language_says_every_kind() -> None:
    tongues = shipped_yaml.read(resources() / "config" / TONGUES)

    kinds = {
        tongue: {
            (part, kind)
            for part, said in parts.items()
            if isinstance(said, dict) and part not in LETTERED
            for kind in said
            if part in ("roles", "columns", "attributes", "priorities", "words")
        }
        for tongue, parts in tongues.items()
    }
    every = {kind for kind in set.union(*kinds.values()) if sum(kind in said for said in kinds.values()) > 4}
    assert {tongue: every - said for tongue, said in kinds.items() if every - said - OPTIONAL} == {}
    patterns = {
        "Must",
        "Should",
        "Could",
        "weak",
        "exclusion",
        "question",
        "relies",
        "dependency",
        "as_a",
        "acts",
    }
    assert all(
        patterns | {"S", "U", "SC", "P"} <= {*parts["wishes"]} | {"acts"} for parts in tongues.values()
    )


OPTIONAL = {("words", "plan"), ("words", "glossary"), ("words", "problem")}  # whose words are those of others


@pytest.mark.parametrize(
    ("heading", "role"),
    [
        ("Fora do âmbito da primeira entrega", "non_goal"),
        ("Nicht in diesem Jahr", "non_goal"),
        ("Hors\u2011scope", "non_goal"),
        ("Cosa non faremo", "non_goal"),
        ("Wat we niet doen", "non_goal"),
        ("Lo que queda fuera", "non_goal"),
        ("今回の対象外", "non_goal"),
        ("Voor wie is het?", "user"),
        ("Chi lo userà", "user"),
        ("Qui va s'en servir", "user"),
        ("Wanneer is het goed?", "acceptance"),
        ("Critérios de aceite do RF-07", "acceptance"),
        ("完了の定義", "acceptance"),
        ("Wat al klaar is", "done"),
        ("Ce qui se passe aujourd'hui", "problem"),
        ("Was passieren sollte", "requirement"),
        ("Schnittstellen", "dependency"),
        ("Gewünschte Änderungen", ""),
        ("Da definire", "question"),
        ("Nog uit te zoeken", "question"),
        ("What users do at night", "user"),
        ("Non-functional requirements", "nonfunctional"),
        ("Protection of data", ""),
    ],
)
def test_headings_say_what_stands_below_them(heading: str, role: str) -> None:
    assert (role_of(heading) or clause_role(heading) or word_role(heading)) == role


@pytest.mark.parametrize(
    ("header", "kind"),
    [
        ("Streefwaarde", "target"),
        ("Hoe we het meten", "metric"),
        ("Valore atteso", "target"),
        ("Prioridade", "priority"),
        ("Contromisura", "mitigation"),
        ("Kürzel", "id"),
        ("利用者", "user"),
        ("Card data", ""),
    ],
)
def test_columns_say_what_their_cells_hold(header: str, kind: str) -> None:
    assert column_of(header) == kind


@pytest.mark.parametrize(
    ("said", "given"),
    [
        ("Caisse (priorité haute)", "Must"),
        ("Prioridad media", "Should"),
        ("Priorität: niedrig", "Could"),
        ("Prioridade baixa", "Could"),
        ("Priority mail", ""),
    ],
)
def test_a_level_beside_the_word_for_priority_is_one(said: str, given: str) -> None:
    assert priority_of(said) == given


@pytest.mark.parametrize(
    ("story", "teller"),
    [
        (
            "Als Platzwartin möchte ich die Plätze sperren, damit niemand auf nassem Rasen spielt.",
            "Platzwartin",
        ),
        ("En tant que régisseuse je veux réserver une salle.", "régisseuse"),
        ("En qualité d'éclusier, je souhaite voir les bateaux annoncés.", "éclusier"),
        ("In qualità di casara vorrei registrare la temperatura della cagliata.", "casara"),
        ("Como regadora quiero ver mi turno en el móvil.", "regadora"),
        ("Como oleira, gostaria de reservar o forno.", "oleira"),
        ("Als sluiswachter wil ik zien welke schepen komen.", "sluiswachter"),
        ("作为摊位管理员，我想查看当天的空摊位。", "摊位管理员"),
    ],
)
def test_who_tells_a_story_is_a_user(story: str, teller: str) -> None:
    read = analyse_request(f"# Tool\n\n## User stories\n\n- {story}\n")

    assert [actor.name for actor in read.actors] == [teller]
    assert [need.text for need in read.needs] == [story]


@pytest.mark.parametrize(
    ("statement", "who"),
    [
        ("O armazenista deve poder corrigir uma contagem.", "armazenista"),
        ("Il casellante può aprire la sbarra a mano.", "casellante"),
        ("De kraanmachinist kan een hijsklus afmelden.", "kraanmachinist"),
        ("Der Schlüsselwart erfasst jede Ausgabe.", "Schlüsselwart"),
    ],
)
def test_whoever_can_do_something_is_a_user(statement: str, who: str) -> None:
    read = analyse_request(f"# Tool\n\n## Requirements\n\n- {statement}\n")

    assert who in [actor.name for actor in read.actors]


@pytest.mark.parametrize(
    "statement",
    [
        "O sistema deve poder exportar a lista.",
        "La pagina può essere stampata.",
        "De lijst kan worden geprint.",
    ],
)
def test_what_things_can_do_names_no_user(statement: str) -> None:
    assert analyse_request(f"# Tool\n\n## Requirements\n\n- {statement}\n").actors == ()


def test_a_name_with_what_its_person_belongs_to_is_the_same_person() -> None:
    read = analyse_request(
        "# Tool\n\n## User stories\n\n- In qualità di custode del faro voglio segnare un guasto.\n"
        "- In qualità di custode voglio vedere i turni.\n"
    )

    assert [actor.name for actor in read.actors] == ["custode del faro"]


@pytest.mark.parametrize(
    "sentence",
    [
        "Die Fahrplandaten kommen aus dem System der Verkehrsbetriebe.",
        "L'envoi des SMS passe par le compte de la mairie.",
        "El plano lo entrega el ayuntamiento cada mes.",
        "Le tessere si verificano tramite il servizio della federazione.",
        "O cadastro de barcos vem da capitania.",
        "De weerdata worden door het waterschap geleverd.",
    ],
)
def test_what_others_deliver_is_relied_on(sentence: str) -> None:
    read = analyse_request(f"# Tool\n\n## Rahmenbedingungen\n\n- {sentence}\n")

    assert read.dependencies == (sentence,)


def test_money_that_somebody_provides_is_a_limit() -> None:
    read = analyse_request(
        "# Tool\n\n## Rahmenbedingungen\n\n- Der Verein stellt einmalig 4.000 Euro bereit.\n"
    )

    assert read.dependencies == ()


@pytest.mark.parametrize(
    ("sentence", "category"),
    [
        ("O ecrã tem de ser legível ao sol e usável com luvas.", "U"),
        ("I documenti devono essere cancellati dopo 30 giorni.", "S"),
        ("Scannen moet ook werken als de wifi uitvalt.", "SC"),
        ("La búsqueda debe responder en menos de 2 segundos.", "P"),
        ("Respaldo automático cada noche.", "SC"),
    ],
)
def test_qualities_are_known_by_the_words_of_the_language(sentence: str, category: str) -> None:
    read = analyse_request(f"# Tool\n\n## Non-functional requirements\n\n- {sentence}\n")

    assert [need.category for need in read.needs] == [category]


def test_what_is_still_to_be_settled_is_open_and_what_is_left_out_is_not_asked_for() -> None:
    read = analyse_request(
        "# Boot\n\n## Eisen\n\n- De schipper moet een ligplaats kunnen boeken.\n- Een betaalmodule komt er voorlopig niet.\n"
        "- Bewaartermijn van de logboeken: nog te bepalen\n"
    )

    assert [need.text for need in read.needs if need.kind == "exclusion"] == [
        "Een betaalmodule komt er voorlopig niet."
    ]
    assert read.questions == ("Bewaartermijn van de logboeken: nog te bepalen",)


def test_a_numbered_story_behind_the_criteria_of_another_is_a_story() -> None:
    text = (
        "# Hut\n\n## Storie utente\n\n**US-1 (must)** In qualità di ospite voglio vedere i posti.\n\nCriteri di accettazione:\n\n"
        "- Il calendario mostra 60 giorni\n- Un rifugio chiuso è grigio\n\n**US-2 (must)** In qualità di ospite voglio pagare.\n\n"
        "Criteri di accettazione:\n\n- Un pagamento rifiutato libera il posto\n\n**US-3 (could)** In qualità di ospite voglio stampare.\n"
    )
    roles = {passage.text: passage for passage in passages(text)}

    paid = roles["In qualità di ospite voglio pagare."]
    assert paid.role in ("requirement", "use_case")
    assert roles["Un pagamento rifiutato libera il posto"].parent == paid.block.id
    assert roles["Un rifugio chiuso è grigio"].role == "acceptance"


def test_a_count_of_what_there_is_in_chinese_is_relied_on_by_nothing() -> None:
    assert (
        analyse_request("# 订餐\n\n现有3个窗口，每天很挤。\n\n## 需求\n\n- 学生可以预订午餐\n").dependencies
        == ()
    )
