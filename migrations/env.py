"""Alembic's entry: runs on the connection that orchestrator.store.backends.sqlite_migrate hands over, inside its transaction."""

from alembic import context

from orchestrator.store.tables import metadata

connection = context.config.attributes["connection"]
context.configure(
    connection=connection,
    target_metadata=metadata,
    render_as_batch=connection.dialect.name == "sqlite",
    transactional_ddl=True,
)
with context.begin_transaction():
    context.run_migrations()
