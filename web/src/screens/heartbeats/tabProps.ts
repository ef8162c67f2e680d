import type { MonitorCreated, MonitorRecord } from '@/api';

/** The props of each tab: the monitor, the ping address of a new token, and the function that stores one. */
export type TabProps = {
  monitor: MonitorRecord;
  address: string | null;
  onRotated: (created: MonitorCreated) => void;
};
