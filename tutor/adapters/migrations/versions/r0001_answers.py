"""The first shape: takes, answers, jobs, attempts, corrections."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    _takes_and_answers()
    _jobs()
    _attempts()
    _corrections()


def _takes_and_answers() -> None:
    op.create_table(
        "take",
        sa.Column("id", sa.String(length=120), nullable=False),
        sa.Column("state", sa.String(length=20), nullable=False),
        sa.Column("question_id", sa.String(length=120), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("stopped_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("duration_s", sa.Float(), nullable=True),
        sa.Column("file_name", sa.Text(), nullable=True),
        sa.Column("transcript", sa.Text(), nullable=True),
        sa.Column("transcriber", sa.Text(), nullable=True),
        sa.CheckConstraint("state IN ('recording', 'stopped', 'transcribed', 'discarded')", name=op.f("ck_take_state")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_take")),
    )
    op.create_table(
        "answer",
        sa.Column("id", sa.String(length=120), nullable=False),
        sa.Column("question_id", sa.String(length=120), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("spoken", sa.Boolean(), nullable=False),
        sa.Column("take_id", sa.String(length=120), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["take_id"], ["take.id"], name=op.f("fk_answer_take_id_take"), ondelete="SET NULL"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_answer")),
    )
    op.create_index(op.f("ix_answer_question_id"), "answer", ["question_id"])
    op.create_index(op.f("ix_answer_take_id"), "answer", ["take_id"])


def _jobs() -> None:
    op.create_table(
        "job",
        sa.Column("number", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("id", sa.String(length=120), nullable=False),
        sa.Column("answer_id", sa.String(length=120), nullable=False),
        sa.Column("state", sa.String(length=20), nullable=False),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.Column("owner", sa.String(length=120), nullable=True),
        sa.Column("lease_until", sa.DateTime(timezone=True), nullable=True),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("state IN ('queued', 'running', 'done', 'failed', 'cancelled')", name=op.f("ck_job_state")),
        sa.ForeignKeyConstraint(["answer_id"], ["answer.id"], name=op.f("fk_job_answer_id_answer")),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_job")),
        sa.UniqueConstraint("id", name=op.f("uq_job_id")),
    )
    op.create_index(op.f("ix_job_answer_id"), "job", ["answer_id"])
    op.create_index(op.f("ix_job_state"), "job", ["state"])


def _attempts() -> None:
    op.create_table(
        "attempt",
        sa.Column("number", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("id", sa.String(length=120), nullable=False),
        sa.Column("job_id", sa.String(length=120), nullable=False),
        sa.Column("answer_id", sa.String(length=120), nullable=False),
        sa.Column("question_id", sa.String(length=120), nullable=False),
        sa.Column("topic", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("score", sa.Float(), nullable=True),
        sa.Column("fingerprint_id", sa.String(length=120), nullable=False),
        sa.Column("rubric_hash", sa.String(length=64), nullable=False),
        sa.Column("transcriber", sa.Text(), nullable=True),
        sa.Column("question", sa.JSON(), nullable=False),
        sa.Column("rubric", sa.JSON(), nullable=False),
        sa.Column("grade", sa.JSON(), nullable=False),
        sa.CheckConstraint("score IS NULL OR (score >= 0 AND score <= 1)", name=op.f("ck_attempt_score")),
        sa.ForeignKeyConstraint(["answer_id"], ["answer.id"], name=op.f("fk_attempt_answer_id_answer")),
        sa.ForeignKeyConstraint(["job_id"], ["job.id"], name=op.f("fk_attempt_job_id_job")),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_attempt")),
        sa.UniqueConstraint("id", name=op.f("uq_attempt_id")),
        sa.UniqueConstraint("job_id", name=op.f("uq_attempt_job_id")),
    )
    op.create_index(op.f("ix_attempt_answer_id"), "attempt", ["answer_id"])
    op.create_index(op.f("ix_attempt_created_at"), "attempt", ["created_at"])
    op.create_index(op.f("ix_attempt_fingerprint_id"), "attempt", ["fingerprint_id"])
    op.create_index(op.f("ix_attempt_question_id"), "attempt", ["question_id"])
    op.create_index(op.f("ix_attempt_topic"), "attempt", ["topic"])


def _corrections() -> None:
    op.create_table(
        "correction",
        sa.Column("number", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("id", sa.String(length=120), nullable=False),
        sa.Column("attempt_id", sa.String(length=120), nullable=False),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("criterion_id", sa.String(length=120), nullable=True),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("kind IN ('correction', 'appeal')", name=op.f("ck_correction_kind")),
        sa.ForeignKeyConstraint(["attempt_id"], ["attempt.id"], name=op.f("fk_correction_attempt_id_attempt")),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_correction")),
        sa.UniqueConstraint("id", name=op.f("uq_correction_id")),
    )
    op.create_index(op.f("ix_correction_attempt_id"), "correction", ["attempt_id"])


def downgrade() -> None:
    for table in ("correction", "attempt", "job", "answer", "take"):
        op.drop_table(table)
