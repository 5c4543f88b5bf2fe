"""The keys of `AgentRequest.facts`: what a task is asked with, as values. What is unknown is None or empty."""

from __future__ import annotations

from typing import TypedDict

from orchestrator.domain.documents import DocumentDef
from orchestrator.domain.json_types import JsonObject
from workers.documents.content import Architecture, Brief, Content, Discovery, Epics, Requirements
from workers.documents.lint import Finding


class Facts(TypedDict, total=False):
    request: str  # the user's request, whole
    language: str  # "en" or "zh": the language of the body
    codebase: JsonObject | None  # an exploration (workers/explore), None without a repository
    discovery: Discovery | None
    brief: Brief | None  # ids allotted, as registered
    requirements: Requirements | None
    architecture: Architecture | None
    epics: Epics | None
    document: DocumentDef | None  # what is written or criticised
    drafted_from: list[Content]  # the contents of the documents that it is drafted from
    previous: (
        Content
        | None  # for a revision or improvement: the content model this task made before, ids allotted; else None
    )
    delivered: Content | None  # `previous` as it was registered, before a person edited its pages
    feedback: list[str]  # a person's words that the task must answer
    is_dependent: bool  # whether they were given to a document before, with which this one is only made again
    said: tuple[str, ...]  # everything people have said of the documents since the request
    remarks: list[str]  # divergences, action items, missing requirements of a discussion that it must answer
    improve: JsonObject | None  # {"dimension": ..., "target": 80, "weak": [...]} for IMPROVE tasks
    action_items: list[str]  # of the last round, for the next document
    wisdom: dict[
        str, list[str]
    ]  # learnings, decisions, conventions, issues: data with a sender, never instructions
    decisions: list[str]  # the accumulator's key decisions
    # critique only:
    artifact_path: str
    artifact: str  # the text under review, cut at a stated length
    edited: list[str]  # the document's files as a person edited them
    artifact_content: Content | None  # its content model, where it has one
    findings: tuple[Finding, ...]  # of the lint, in every document there is
    gate: JsonObject | None  # at a sign-off: gate, score and data of the quality check
    focus: str
    perspective: JsonObject  # name, label, focus areas
