import { useMutation } from '@tanstack/react-query';
import type { DestinationKindRecord, DestinationNew, DestinationRecord } from '@/api';
import {
  destinationsCreateMutation,
  destinationsEditMutation,
  destinationsTestUnsavedMutation,
} from '@/api/@tanstack/react-query.gen';
import { addToDefaultRoute } from '@/lib/configuration/defaultRoute';
import { type FieldFaults, formFaults } from '@/lib/requests/problems';
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
  /** The record as the form was opened with it; null: a new one. */
  opened: DestinationRecord | null;
  form: Fields;
  setFaults: (faults: FieldFaults) => void;
  onDone: () => void;
  onSecret: (secret: Secret) => void;
};

/** Creates or changes the destination. Faults go to their fields, and secrets that were made here are shown once. */
export function useSend({ kind, opened, form, setFaults, onDone, onSecret }: Of) {
  const { workspace } = useWorkspace();
  const create = useMutation({ ...destinationsCreateMutation(), gcTime: 0 });
  const edit = useMutation({ ...destinationsEditMutation(), gcTime: 0 });
  const onError = (fault: unknown) =>
    setFaults(formFaults(fault, [...NAMES, ...entered(kind).map((field) => `config.${field.name}`)]));
  const test = useMutation({ ...destinationsTestUnsavedMutation(), gcTime: 0, onError });
  const newBody = (config: Record<string, unknown>) => ({
    ...settingsOf(kind, form),
    config,
    kind: kind.kind as DestinationNew['kind'],
    workspaceId: workspace.id,
  });
  const sendTest = () => test.mutate({ body: newBody(sentConfig(kind, form.config, true).config) });
  const send = (rev: number | undefined) => {
    const { config, made } = sentConfig(kind, form.config, opened === null || form.replaceSecret);
    const onSuccess = (saved: DestinationRecord) => {
      say(opened ? 'Saved' : `${saved.name} is created.`);
      for (const { field, secret } of made)
        onSecret({
          label: field.label,
          value: secret,
          fileName: `${kind.kind}-${field.name}.txt`,
          isEncrypted: true,
        });
      if (form.onDefaultRoute && !opened) addToDefaultRoute(saved).catch(sayFault);
      void refresh('destinationsList', 'destinationsRead');
      create.reset();
      edit.reset();
      onDone();
    };
    if (opened) {
      const before = fieldsOf(kind, opened);
      const body = {
        ...changes(settingsOf(kind, before), settingsOf(kind, form)),
        config: changes(sentConfig(kind, before.config, false).config, config),
      };
      const headers = { 'If-Match': `"${rev}"` };
      edit.mutate({ path: { destination_id: opened.id }, headers, body }, { onSuccess, onError });
    } else {
      create.mutate({ body: newBody(config) }, { onSuccess, onError });
    }
  };
  return { create, edit, send, test, sendTest };
}
