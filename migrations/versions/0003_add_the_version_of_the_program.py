"""Say which version of the program a leader and a host run"""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for table in ("hosts", "leases"):
        op.add_column(table, sa.Column("version", sa.Text(), server_default=sa.text("''"), nullable=False))
