import { Button, Group, Select } from '@mantine/core';
import { useMemo, type ReactNode } from 'react';
import { useSearchParams } from 'wouter';
import type { DeliveriesListData } from '@/api';
import { useNames } from '@/lib/names';
import { REASONS, STATUSES } from '@/screens/deliveries/words';

type Filter = Pick<
  NonNullable<DeliveriesListData['query']>,
  'status' | 'reason' | 'destinationId' | 'incidentId' | 'digestId'
>;

const PERIODS = [
  { value: '1', label: 'Last 24 hours' },
  { value: '7', label: 'Last 7 days' },
  { value: '30', label: 'Last 30 days' },
];
const FILTER_NAMES = ['status', 'reason', 'destinationId', 'incidentId', 'digestId', 'days'];

/** What the address says; values that the API does not know are left out. */
export function useFilters(): { filters: Filter; since: string | null; isFiltered: boolean; clear: ReactNode } {
  const [params, setParams] = useSearchParams();
  const status = params.get('status');
  const reason = params.get('reason');
  const destinationId = params.get('destinationId');
  const incidentId = params.get('incidentId');
  const digestId = params.get('digestId');
  const days = PERIODS.find((each) => each.value === params.get('days'))?.value;
  const since = useMemo(() => (days ? new Date(Date.now() - Number(days) * 86_400_000).toISOString() : null), [days]);
  const filters: Filter = {
    ...(status && status in STATUSES ? { status: status as Filter['status'] } : {}),
    ...(reason && reason in REASONS ? { reason } : {}),
    ...(destinationId?.startsWith('dst_') ? { destinationId: destinationId as Filter['destinationId'] } : {}),
    ...(incidentId?.startsWith('inc_') ? { incidentId: incidentId as Filter['incidentId'] } : {}),
    ...(digestId?.startsWith('dlv_') ? { digestId: digestId as Filter['digestId'] } : {}),
  };
  return {
    filters,
    since,
    isFiltered: FILTER_NAMES.some((name) => params.has(name)),
    clear: (
      <Button variant="default" onClick={() => setParams({})}>
        Clear the filters
      </Button>
    ),
  };
}

export function Filters() {
  const [params, setParams] = useSearchParams();
  const { destinations } = useNames();
  const set = (name: string) => (value: string | null) => {
    setParams((before) => {
      const next = new URLSearchParams(before);
      if (value === null) next.delete(name);
      else next.set(name, value);
      return next;
    });
  };
  const wide = { flex: '1 1 150px', maxWidth: 240 };
  return (
    <Group px="md" pb="sm" gap="xs" role="search" aria-label="Filters">
      <Select
        aria-label="Status"
        placeholder="Any status"
        clearable
        style={wide}
        data={Object.entries(STATUSES).map(([value, label]) => ({ value, label }))}
        value={params.get('status')}
        onChange={set('status')}
      />
      <Select
        aria-label="Destination"
        placeholder="Any destination"
        clearable
        searchable
        style={wide}
        data={destinations}
        value={params.get('destinationId')}
        onChange={set('destinationId')}
        nothingFoundMessage="No destination"
      />
      <Select
        aria-label="Reason"
        placeholder="Any reason"
        clearable
        style={wide}
        data={Object.entries(REASONS).map(([value, label]) => ({ value, label }))}
        value={params.get('reason')}
        onChange={set('reason')}
      />
      <Select
        aria-label="Period"
        placeholder="All time"
        clearable
        style={wide}
        data={PERIODS}
        value={params.get('days')}
        onChange={set('days')}
      />
      {params.has('incidentId') && (
        <Button variant="default" mih="var(--target)" onClick={() => set('incidentId')(null)}>
          Of all incidents
        </Button>
      )}
      {params.has('digestId') && (
        <Button variant="default" mih="var(--target)" onClick={() => set('digestId')(null)}>
          Of all digests
        </Button>
      )}
    </Group>
  );
}
