import type { UseFormReturnType } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import type { DestinationKindRecord, DestinationNew, DestinationRecord } from '@/api';
import { destinationsCreateMutation, destinationsEditMutation } from '@/api/@tanstack/react-query.gen';
import { addToDefaultRoute } from '@/lib/configuration/defaultRoute';
import { fieldFaults, isConflict } from '@/lib/requests/problems';
import { refresh } from '@/lib/requests/refresh';
import { useWorkspace } from '@/lib/session/workspace';
import { changes } from '@/parts/conflict/compare';
import type { Secret } from '@/parts/ShowOnce';
import { say, sayFault } from '@/parts/toast';
import { type Fields, fieldsOf, settingsOf } from '@/screens/destinations/formFields';
import { entered, sentConfig } from '@/screens/destinations/kinds';

const NAMES = ['name', 'kind', 'minSeverity', 'quietHoursThreshold', 'digest', 'template.title', 'template.body'];

type Of = {
  kind: DestinationKindRecord;
  destination: DestinationRecord | null;
  /** The record as the form was opened with it. */
  opened: DestinationRecord | null;
  form: UseFormReturnType<Fields>;
  setRest: (faults: string[]) => void;
  onDone: () => void;
  onSecret: (secret: Secret) => void;
};

/** Creates or changes the destination. Faults go to their fields, and secrets that were made here are shown once. */
export function useSend({ kind, destination, opened, form, setRest, onDone, onSecret }: Of) {
  const { workspace } = useWorkspace();
  const create = useMutation({ ...destinationsCreateMutation(), gcTime: 0 });
  const edit = useMutation({ ...destinationsEditMutation(), gcTime: 0 });
  const onError = (fault: unknown) => {
    if (isConflict(fault)) return;
    const found = fieldFaults(fault, [...NAMES, ...entered(kind).map((field) => `config.${field.name}`)]);
    form.setErrors(found.fields);
    setRest(found.rest);
    focusFirst(found.fields);
  };
  /** The form is long: a fault may be far above the button. */
  const focusFirst = (faults: Record<string, unknown>) => {
    const first = ['name', ...kind.fields.map((field) => `config.${field.name}`)].find((path) => faults[path]);
    if (first) form.getInputNode(first)?.focus();
  };
  const send = (values: Fields, rev: number | undefined) => {
    const { config, made } = sentConfig(kind, values.config, destination === null || values.replaceSecret);
    const onSuccess = (saved: DestinationRecord) => {
      say(destination ? 'Saved' : `${saved.name} is created.`);
      for (const { field, secret } of made)
        onSecret({
          label: field.label,
          value: secret,
          fileName: `${kind.kind}-${field.name}.txt`,
          isEncrypted: true,
        });
      if (values.onDefaultRoute && !destination) addToDefaultRoute(saved).catch(sayFault);
      void refresh('destinationsList', 'destinationsRead');
      create.reset();
      edit.reset();
      onDone();
    };
    if (destination && opened) {
      const before = fieldsOf(kind, opened);
      const body = {
        ...changes(settingsOf(kind, before), settingsOf(kind, values)),
        config: changes(sentConfig(kind, before.config, false).config, config),
      };
      const headers = { 'If-Match': `"${rev}"` };
      edit.mutate({ path: { destination_id: destination.id }, headers, body }, { onSuccess, onError });
    } else {
      const made = { kind: kind.kind as DestinationNew['kind'], workspaceId: workspace.id };
      create.mutate({ body: { ...settingsOf(kind, values), config, ...made } }, { onSuccess, onError });
    }
  };
  return { create, edit, send, focusFirst };
}
