"""Add the index that lists of sessions are read by, and the one that old keys of commands are found by"""

from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index("ix_sessions_created", "sessions", ["created_at", "id"], unique=False)
    op.create_index("ix_commands_at", "commands", ["at"], unique=False)
