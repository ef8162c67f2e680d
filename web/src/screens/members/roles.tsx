import { Avatar, Badge } from '@mantine/core';
import { ShieldAlert, ShieldCheck } from 'lucide-react';
import type { MemberRecord } from '@/api';
import { initials } from '@/parts/initials';
import styles from '@/parts/styles.module.css';
import classes from '@/screens/members/Members.module.css';

export type Role = MemberRecord['role'];

/** From the most to the least. */
export const ROLES: readonly Role[] = ['owner', 'admin', 'member', 'viewer'];
export const ROLE_WORD: Record<Role, string> = { owner: 'Owner', admin: 'Admin', member: 'Member', viewer: 'Viewer' };
export const ROLE_ABOUT: Record<Role, string> = {
  owner: 'Manages members and invites, exports and closes the workspace.',
  admin: 'Manages sources, rules, destinations and settings.',
  member: 'Acts on incidents, adds notes and silences.',
  viewer: 'Views incidents. Cannot change anything.',
};

export function isRole(value: string | null): value is Role {
  return ROLES.includes(value as Role);
}

/** Initials, name and address of a person. */
export function Person({ name, email, own = false }: { name: string; email: string; own?: boolean }) {
  return (
    <div className={classes.member}>
      <Avatar size={30} radius="xl" color="gray" variant="default" aria-hidden>
        {initials(name)}
      </Avatar>
      <div className={classes.memberText}>
        <span className={styles.strong}>{name}</span>
        {own && (
          <Badge size="sm" variant="default" tt="none" ml={6}>
            You
          </Badge>
        )}
        <div className={`soft ${styles.tiny}`}>{email}</div>
      </div>
    </div>
  );
}

export function SecondFactor({ has }: { has: boolean }) {
  const Icon = has ? ShieldCheck : ShieldAlert;
  return (
    <span className={classes.factor} style={{ color: has ? 'var(--severity-success)' : 'var(--text-soft)' }}>
      <Icon size={15} aria-hidden />
      {has ? 'Set' : 'Not set'}
    </span>
  );
}
