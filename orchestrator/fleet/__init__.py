"""Operations across cells, each a project with a PostgreSQL database of its own: workflows that outlive every process."""
