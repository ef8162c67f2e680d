"""Addresses of accounts that an operator made, or that were made long ago, count as confirmed.

Only an account of an invitation can be made by somebody who does not own its address. Accepted invitations are kept for
a month, so accounts of newer ones stay unconfirmed.
"""

UP = """
UPDATE users u SET email_verified_at = u.created_at
WHERE u.email_verified_at IS NULL AND (u.is_instance_admin OR NOT EXISTS (SELECT FROM invites i WHERE i.accepted_by = u.id));
"""


def up(migrator, db):
    db.execute_sql(UP)


def down(migrator, db):
    """Nothing tells these rows from others, and the version before can use them."""
