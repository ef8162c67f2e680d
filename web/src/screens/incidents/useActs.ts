import { useState } from 'react';
import type { IncidentRecord } from '@/api';
import type { Act } from '@/lib/incidents/act';
import { allows } from '@/lib/incidents/allowed';
import { useKeys } from '@/lib/keyboard/keys';
import { snoozeKeys } from '@/lib/time/snooze';
import { perform } from '@/live/acts';
import { useOffline } from '@/live/online';

/** What a person can do with the incident in its state. Each answers whether it was done. */
export type Acts = {
  isDisabled: boolean;
  run: (act: Act) => Promise<boolean>;
  may: (act: Parameters<typeof allows>[0]) => boolean;
  maySilence: boolean;
  silence: { isOpen: boolean; open: () => void; close: () => void };
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
  useKeys('Incident', [
    ...(maySilence ? [{ keys: 'm', label: 'Silence similar', run: silence.open }] : []),
    ...(may('acknowledge')
      ? [{ keys: 'a', label: 'Acknowledge', run: () => void run({ action: 'acknowledge' }) }]
      : []),
    ...(may('resolve') ? [{ keys: 'r', label: 'Resolve', run: () => void run({ action: 'resolve' }) }] : []),
    ...(may('snooze') ? snoozeKeys((until) => void run({ action: 'snooze', until })) : []),
  ]);
  return { isDisabled: isBusy || offline, run, may, maySilence, silence };
}
