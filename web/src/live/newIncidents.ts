import type { IncidentRecord } from '@/api';
import type { Reference } from '@/live/table';

/** The pause after a notice. What is new within it comes together. */
export const PAUSE = 5000;
/** So many of the newest are read; the others are only counted. */
export const MOST_READ = 10;

export type Announcement = { incidents: IncidentRecord[]; count: number };

type Parts = {
  /** Whether the person enabled notifications about new incidents. */
  isWanted: () => boolean;
  read: (id: IncidentRecord['id']) => Promise<IncidentRecord>;
  /** Whether the workspace has quiet hours now. */
  isQuiet: (workspaceId: string) => boolean;
  announce: (announcement: Announcement) => void;
};

/**
 * Announces new incidents: the first one at once, those of the following five seconds together.
 *
 * An incident that is not open when it is read is left out, such as a silenced one. In quiet hours only critical ones remain.
 * References of a storm are replaced by `resync`, which announces nothing.
 */
export class NewIncidents {
  private readonly parts: Parts;
  private waiting: IncidentRecord['id'][] = [];
  private pause: ReturnType<typeof setTimeout> | undefined;

  constructor(parts: Parts) {
    this.parts = parts;
  }

  take({ type, op, id }: Reference): void {
    if (type !== 'incident' || op !== 'created' || id === undefined || !this.parts.isWanted()) return;
    this.waiting.push(id as IncidentRecord['id']);
    if (this.pause === undefined) void this.announce();
  }

  stop(): void {
    clearTimeout(this.pause);
    this.pause = undefined;
    this.waiting = [];
  }

  private async announce(): Promise<void> {
    this.pause = setTimeout(() => {
      this.pause = undefined;
      if (this.waiting.length > 0) void this.announce();
    }, PAUSE);
    const ids = this.waiting.splice(0);
    const answers = await Promise.allSettled(ids.slice(-MOST_READ).map((id) => this.parts.read(id)));
    const incidents = answers
      .flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []))
      .filter(({ state }) => state === 'open')
      .filter(({ severity, workspaceId }) => severity === 'CRITICAL' || !this.parts.isQuiet(workspaceId));
    const unread = Math.max(0, ids.length - MOST_READ);
    if (incidents.length > 0) this.parts.announce({ incidents, count: incidents.length + unread });
  }
}
