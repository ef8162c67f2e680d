import type { BulkRequest } from '@/api';

/** An act on one or many incidents. */
export type Act = {
  action: BulkRequest['action'];
  until?: string;
  assigneeId?: string | null;
  tags?: string[];
  note?: string;
};
