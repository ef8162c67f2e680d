import type { MonitorCreated, MonitorRecord } from '@/api';

/** What each tab gets: the monitor, the ping address of a token that was made while the screen is open, and where a new one goes. */
export type TabProps = {
  monitor: MonitorRecord;
  address: string | null;
  onRotated: (created: MonitorCreated) => void;
};
