import { Button, Group, MultiSelect, Select } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useSearchParams } from 'wouter';
import type { DeliveriesListData } from '@/api';
import { useNames } from '@/lib/configuration/names';
import { useNow } from '@/lib/time/time';
import classes from '@/screens/deliveries/Deliveries.module.css';
import { sinceOf } from '@/screens/deliveries/period';
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

/** Returns whether the API accepts a value of these filters. Each may stand in the address several times. */
const IS_VALID: Record<'status' | 'reason' | 'destinationId', (value: string) => boolean> = {
  status: (value) => value in STATUSES,
  reason: (value) => value in REASONS,
  destinationId: (value) => value.startsWith('dst_'),
};
const MOST_VALUES = 20;

function valuesOf(params: URLSearchParams, name: keyof typeof IS_VALID): string[] {
  return [...new Set(params.getAll(name).filter(IS_VALID[name]))].slice(0, MOST_VALUES);
}

/** When this choice was made: the period does not move with each render. */
function useTimeOfChoice(choice: string | undefined): number {
  const [made, setMade] = useState(() => ({ choice, at: Date.now() }));
  if (made.choice === choice) return made.at;
  const next = { choice, at: Date.now() };
  setMade(next);
  return next.at;
}

/** The filters of the address; values that the API does not know are left out. */
export function useFilters(): { filters: Filter; since: string | null; isFiltered: boolean; clear: ReactNode } {
  const [params, setParams] = useSearchParams();
  const status = valuesOf(params, 'status') as NonNullable<Filter['status']>;
  const reason = valuesOf(params, 'reason');
  const destinationId = valuesOf(params, 'destinationId') as NonNullable<Filter['destinationId']>;
  const incidentId = params.get('incidentId');
  const digestId = params.get('digestId');
  const days = PERIODS.find((each) => each.value === params.get('days'))?.value;
  const chosenAt = useTimeOfChoice(days);
  const now = useNow();
  const since = days ? sinceOf(Number(days), chosenAt, now) : null;
  const filters: Filter = {
    ...(status.length > 0 ? { status } : {}),
    ...(reason.length > 0 ? { reason } : {}),
    ...(destinationId.length > 0 ? { destinationId } : {}),
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
  const setAll = (name: string, values: string[]) => {
    setParams((before) => {
      const next = new URLSearchParams(before);
      next.delete(name);
      for (const value of values) next.append(name, value);
      return next;
    });
  };
  const set = (name: string) => (value: string | null) => setAll(name, value === null ? [] : [value]);
  const several = (name: keyof typeof IS_VALID, placeholder: string) => {
    const value = valuesOf(params, name);
    return {
      value,
      placeholder: value.length > 0 ? undefined : placeholder,
      maxValues: MOST_VALUES,
      clearable: true,
      className: classes.several,
      onChange: (values: string[]) => setAll(name, values),
    };
  };
  return (
    <Group px="md" pb="sm" gap="xs" align="flex-start" role="search" aria-label="Filters">
      <MultiSelect
        aria-label="Status"
        data={Object.entries(STATUSES).map(([value, label]) => ({ value, label }))}
        {...several('status', 'Any status')}
      />
      <MultiSelect
        aria-label="Destination"
        searchable
        data={destinations}
        nothingFoundMessage="No destination"
        {...several('destinationId', 'Any destination')}
      />
      <MultiSelect
        aria-label="Reason"
        data={Object.entries(REASONS).map(([value, label]) => ({ value, label }))}
        {...several('reason', 'Any reason')}
      />
      <Select
        aria-label="Period"
        placeholder="All time"
        clearable
        className={classes.several}
        data={PERIODS}
        value={params.get('days')}
        onChange={set('days')}
      />
      {params.has('incidentId') && (
        <Button variant="default" mih="var(--target)" onClick={() => set('incidentId')(null)}>
          Show all incidents
        </Button>
      )}
      {params.has('digestId') && (
        <Button variant="default" mih="var(--target)" onClick={() => set('digestId')(null)}>
          Show all digests
        </Button>
      )}
    </Group>
  );
}
