import { useState } from 'react';
import type { IncidentRecord } from '@/api';
import type { Act } from '@/lib/incidents/act';
import { allows } from '@/lib/incidents/allowed';
import { useKeys } from '@/lib/keyboard/keys';
import { snoozeKeys } from '@/lib/time/snooze';
import { escalateNow, perform } from '@/live/acts';
import { useOffline } from '@/live/online';

/** Pages by hand, with the dialog that asks whom, and the next step now. */
type PeopleActs = {
  mayPage: boolean;
  mayEscalate: boolean;
  escalate: () => Promise<void>;
  isOpen: boolean;
  open: () => void;
  close: () => void;
};

/** What a person can do with the incident in its state. Each answers whether it was done. */
export type Acts = {
  isDisabled: boolean;
  run: (act: Act) => Promise<boolean>;
  may: (act: Parameters<typeof allows>[0]) => boolean;
  maySilence: boolean;
  silence: { isOpen: boolean; open: () => void; close: () => void };
  people: PeopleActs;
};

/** The acts of an incident, with their keys. */
export function useActs(incident: IncidentRecord): Acts {
  const [isBusy, setBusy] = useState(false);
  const [isOpen, setOpen] = useState(false);
  const offline = useOffline();
  const run = async (act: Act) => {
    setBusy(true);
    const isDone = await perform([incident], act);
    setBusy(false);
    return isDone;
  };
  const may: Acts['may'] = (act) => allows(act, incident.state);
  const maySilence = incident.state !== 'resolved';
  const silence = { isOpen, open: () => setOpen(true), close: () => setOpen(false) };
  const people = usePeople(incident, setBusy);
  useKeys('Incident', [
    ...(people.mayPage ? [{ keys: 'p', label: 'Page people', run: people.open }] : []),
    ...(people.mayEscalate ? [{ keys: 'e', label: 'Escalate', run: () => void people.escalate() }] : []),
    ...(may('acknowledge') ? [{ keys: 't', label: 'Take', run: () => void run({ action: 'take' }) }] : []),
    ...(maySilence ? [{ keys: 'm', label: 'Silence similar', run: silence.open }] : []),
    ...(may('acknowledge')
      ? [{ keys: 'a', label: 'Acknowledge', run: () => void run({ action: 'acknowledge' }) }]
      : []),
    ...(may('resolve') ? [{ keys: 'r', label: 'Resolve', run: () => void run({ action: 'resolve' }) }] : []),
    ...(may('snooze') ? snoozeKeys((until) => void run({ action: 'snooze', until })) : []),
  ]);
  return { isDisabled: isBusy || offline, run, may, maySilence, silence, people };
}

function usePeople(incident: IncidentRecord, setBusy: (isBusy: boolean) => void): PeopleActs {
  const [isOpen, setOpen] = useState(false);
  const escalate = async () => {
    setBusy(true);
    await escalateNow(incident);
    setBusy(false);
  };
  return {
    mayPage: incident.state !== 'resolved',
    mayEscalate: incident.state === 'open',
    escalate,
    isOpen,
    open: () => setOpen(true),
    close: () => setOpen(false),
  };
}
