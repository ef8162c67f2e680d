"""Addresses of accounts that no invitation made count as confirmed.

Only an account of an invitation can be made by somebody who does not own its address. The audit log and the invitations
that are still stored name these accounts.
"""

UP = """
UPDATE users u SET email_verified_at = u.created_at
WHERE u.email_verified_at IS NULL AND (u.is_instance_admin OR NOT (
    EXISTS (
        SELECT FROM invites i
        WHERE i.accepted_by = u.id AND i.accepted_at <= u.created_at + interval '1 minute')
    OR EXISTS (
        SELECT FROM audit_log a
        WHERE a.user_id = u.id AND a.action = 'account.created' AND a.details @> '{"by": "invitation"}')));
"""


def up(migrator, db):
    db.execute_sql(UP)


def down(migrator, db):
    """These rows cannot be distinguished from others, and the version before can use them."""
