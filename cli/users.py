"""`bin/inbox user`: creates and repairs accounts when nobody can sign in."""

from __future__ import annotations

import argparse
from datetime import UTC, datetime
from typing import Any

from cli.command import Failed, add_json_option, add_password_option, command, group, password, show
from inbox.domain.values import ids, times
from inbox.models.people.accounts import User
from inbox.runtime.distribution import typed
from inbox.services.instance import administration


def add_to(commands: Any) -> None:
    """Adds `user create|reset-password|make-admin|list`."""
    users = group(commands, "user", "accounts")
    made = command(users, "create", create, "Create an account, with a workspace of its own unless --no-workspace.")
    made.add_argument("email")
    made.add_argument("--name", help="name of the person (default: the part before the @)")
    made.add_argument("--admin", action="store_true", help="make the account an instance administrator")
    made.add_argument("--workspace", default="Home", help="name of the workspace (default %(default)s)")
    made.add_argument(
        "--no-workspace", action="store_true", help="create no workspace: the person will be invited into one"
    )
    add_password_option(made)
    made = command(
        users, "reset-password", reset_password, "Set a new password for an account and end all its sessions."
    )
    made.add_argument("email")
    made.add_argument(
        "--remove-factors", action="store_true", help="also remove its authenticator app, passkeys and identities"
    )
    add_password_option(made)
    made = command(users, "make-admin", make_admin, "Make an account an instance administrator, and enable it.")
    made.add_argument("email")
    add_json_option(command(users, "list", list_users, "List the accounts."))


def create(options: argparse.Namespace) -> None:
    """Creates an account."""
    email = options.email.strip()
    if email.count("@") != 1 or email.startswith("@") or email.endswith("@") or not email.isprintable() or " " in email:
        raise Failed(f"{email} is not an email address.")
    secret = password(options)
    user = administration.create(
        email,
        (options.name or email.partition("@")[0]).strip()[:100],
        secret,
        is_instance_admin=options.admin,
        workspace_name=None if options.no_workspace else options.workspace,
        now=datetime.now(UTC),
    )
    print(f"{ids.encode('usr', user.id)} {user.email}")
    _print_secret(secret, options)


def reset_password(options: argparse.Namespace) -> None:
    """Sets a new password for a person."""
    user = _find_user(options.email)
    secret = password(options)
    administration.set_password(user, secret, remove_factors=options.remove_factors, now=datetime.now(UTC))
    print(f"{user.email} has a new password and is signed out everywhere")
    _print_secret(secret, options)


def make_admin(options: argparse.Namespace) -> None:
    """Makes a person an administrator of the instance."""
    user = _find_user(options.email)
    administration.edit(user.id, is_instance_admin=True, disabled=False, now=datetime.now(UTC))
    print(f"{user.email} is an instance administrator")


def list_users(options: argparse.Namespace) -> None:
    """Prints the accounts."""
    rows = [
        {
            "id": ids.encode("usr", user.id),
            "email": user.email,
            "name": user.name,
            "admin": user.is_instance_admin,
            "disabled": user.disabled_at is not None,
            "mfa": user.mfa,
            "workspaces": user.workspaces,
            "lastSeenAt": times.rfc3339(user.last_seen_at) if user.last_seen_at else None,
        }
        for user in administration.people().order_by(User.email_key)
    ]
    show(
        rows,
        as_json=options.json,
        nothing=f"No account exists yet. Run {typed('setup-link')} or {typed('user create')}.",
    )


def _find_user(email: str) -> User:
    user = administration.by_email(email)
    if user is None:
        raise Failed(f"No account has the address {email}.")
    return user


def _print_secret(secret: str, options: argparse.Namespace) -> None:
    if options.generate:
        print(f"Password (shown this once): {secret}")
