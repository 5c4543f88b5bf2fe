"""Add indexes: for lists of sessions, for old keys of commands, for pauses and ends to tell people of"""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index("ix_sessions_created", "sessions", ["created_at", "id"], unique=False)
    op.create_index("ix_commands_at", "commands", ["at"], unique=False)
    op.create_index(
        "ix_messages_notices",
        "messages",
        ["at"],
        sqlite_where=sa.text("type = 'paused' OR type = 'completed'"),
    )
