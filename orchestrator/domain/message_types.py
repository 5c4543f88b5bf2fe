"""The types of messages that the product knows; others are kept and marked as unknown (docs/domain.md)."""

from __future__ import annotations

KNOWN_TYPES = frozenset(
    [
        "research_ready",
        "research_progress",
        "draft_ready",
        "draft_revision",
        "quality_result",
        "review_result",
        "plan_ready",
        "plan_approved",
        "plan_revision",
        "impl_complete",
        "impl_progress",
        "test_result",
        "fix_required",
        "arch_ready",
        "arch_concern",
        "dev_fe_complete",
        "qa_fe_passed",
        "qa_fe_result",
        "task_unblocked",
        "fast_advance",
        "discussion_ready",
        "discussion_blocked",
        "discussion_processed",
        "exploration_ready",
        "analysis_ready",
        "synthesis_ready",
        "pipeline_selected",
        "discussion_round",
        "direction_adjusted",
        "state_update",
        "supervision_report",
        "capability_gap",
        "error",
        "shutdown",
    ]
)
