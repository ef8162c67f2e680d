import type { Saved } from '@/lib/preferences/preferences';

/**
 * Sends changes of preferences one after the other; what is changed meanwhile is sent together.
 *
 * A person may leave or reload the page before a change is sent. `leave` sends what waits at once, so that the next page does
 * not get the old preferences back. `send` is expected to outlive the page, and to handle its own failures.
 */
export class PreferenceSaver {
  private waiting: Saved = {};
  private sending = false;
  private readonly send: (change: Saved) => Promise<void>;

  constructor(send: (change: Saved) => Promise<void>) {
    this.send = send;
  }

  get isSaving(): boolean {
    return this.sending;
  }

  take(change: Saved): void {
    this.waiting = { ...this.waiting, ...change };
    if (!this.sending) void this.sendAll();
  }

  leave(): void {
    const change = this.next();
    if (change) void this.send(change);
  }

  private async sendAll(): Promise<void> {
    this.sending = true;
    for (let change = this.next(); change; change = this.next()) await this.send(change);
    this.sending = false;
  }

  private next(): Saved | undefined {
    const change = this.waiting;
    this.waiting = {};
    return Object.keys(change).length > 0 ? change : undefined;
  }
}
