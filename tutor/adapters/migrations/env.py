"""Run by Alembic: brings the database behind the given connection to another revision.

The caller puts an engine, or a connection inside an open transaction, into
`config.attributes["connection"]`. All revisions run in that one transaction, so a killed process
leaves the old shape or the new one.
"""

from contextlib import nullcontext
from typing import Literal

from alembic import context
from alembic.autogenerate.api import AutogenContext
from sqlalchemy import Connection

from tutor.adapters.tracker_sql.tables import UtcMoment, metadata


def plainly(kind: str, thing: object, _: AutogenContext) -> str | Literal[False]:
    """Write our own column type as the plain one: a revision must not change when the program does."""
    return "sa.DateTime(timezone=True)" if kind == "type" and isinstance(thing, UtcMoment) else False


bind = context.config.attributes["connection"]

with nullcontext(bind) if isinstance(bind, Connection) else bind.begin() as connection:
    context.configure(
        connection=connection,
        target_metadata=metadata,
        render_as_batch=True,
        transactional_ddl=True,
        render_item=plainly,
    )
    with context.begin_transaction():
        context.run_migrations()
