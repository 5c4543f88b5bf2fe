"""What a run waits for within its host, as its phase says it."""

WAITS_TO_CHECK = "wait to check"
WAITS_TO_RESOLVE = "wait to resolve"
WAITS = {
    WAITS_TO_CHECK: "it waits until its change may be checked: `work.checked_at_once` others of the session are, or one that "
    "it conflicts with has yet to land",
    WAITS_TO_RESOLVE: "it conflicts with what has landed, and waits to resolve that until another task that changed the same "
    "files has landed",
}
