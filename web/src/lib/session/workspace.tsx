import { createContext, useContext } from 'react';
import type { MeRecord, WorkspaceRecord } from '@/api';
import { ownName } from '@/lib/navigation/base';

/** The signed-in person, and the workspace of the address. */
export type Session = { me: MeRecord; workspaces: WorkspaceRecord[] };
export type InWorkspace = {
  workspace: WorkspaceRecord;
  href: (path: string) => string;
  /** The address of the inbox with the tab, the search and the order that were shown last. */
  inbox: string;
  can: (role: WorkspaceRecord['role']) => boolean;
};

const SessionContext = createContext<Session | null>(null);
const WorkspaceContext = createContext<WorkspaceRecord | null>(null);
export const SessionProvider = SessionContext.Provider;
export const WorkspaceProvider = WorkspaceContext.Provider;

const RANKS: readonly WorkspaceRecord['role'][] = ['viewer', 'member', 'admin', 'owner'];

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === null) throw new Error('outside of a session');
  return session;
}

/** The last query of each workspace's inbox in this tab. */
const lastInbox = new Map<string, string>();

export function rememberInbox(slug: string, query: string): void {
  lastInbox.set(slug, query);
}

/** The workspace of the address. `href('rules')` is an address in it; `can('admin')` says whether the role is enough. */
export function useWorkspace(): InWorkspace {
  const workspace = useContext(WorkspaceContext);
  if (workspace === null) throw new Error('outside of a workspace');
  const query = lastInbox.get(workspace.slug);
  return {
    workspace,
    href: (path) => `/w/${workspace.slug}/${path}`,
    inbox: `/w/${workspace.slug}/inbox${query ? `?${query}` : ''}`,
    can: (role) => RANKS.indexOf(workspace.role) >= RANKS.indexOf(role),
  };
}

export function useOptionalWorkspace(): WorkspaceRecord | null {
  return useContext(WorkspaceContext);
}

const LAST = ownName('inbox-workspace');

export function rememberWorkspace(slug: string): void {
  localStorage.setItem(LAST, slug);
}

/** The workspace of these that was open last in this browser. */
function lastHere(workspaces: readonly WorkspaceRecord[]): WorkspaceRecord | undefined {
  const last = localStorage.getItem(LAST);
  return workspaces.find((each) => each.slug === last);
}

/** Returns whether one of these workspaces was open in this browser before. */
export function knowsWorkspace(workspaces: readonly WorkspaceRecord[]): boolean {
  return lastHere(workspaces) !== undefined;
}

/**
 * Where a person starts: the workspace that was open last in this browser, else the one that was open last in any browser,
 * else the first. Without a workspace, the first one is created.
 */
export function homeOf(workspaces: readonly WorkspaceRecord[], lastId?: string | null): string {
  const found = lastHere(workspaces) ?? workspaces.find((each) => each.id === lastId) ?? workspaces[0];
  return found ? `/w/${found.slug}/inbox` : '/welcome';
}
