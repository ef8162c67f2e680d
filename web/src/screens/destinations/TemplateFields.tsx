import { Alert, Button, Group, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { DestinationRecord, IncidentRecord, TextPreview } from '@/api';
import { destinationsPreviewTextMutation, incidentsListOptions } from '@/api/@tanstack/react-query.gen';
import { fieldFaults } from '@/lib/requests/problems';
import { useWorkspace } from '@/lib/session/workspace';
import styles from '@/parts/styles.module.css';
import { IncidentSelect } from '@/screens/destinations/IncidentSelect';

export type TemplateEntry = { title: string; body: string };
type Setting = DestinationRecord['template'];

/** What the fields hold for stored templates. */
export function templateOf(setting: Setting | undefined): TemplateEntry {
  return { title: setting?.title ?? '', body: setting?.body ?? '' };
}

/** The templates to send; null: the standard text. */
export function templateSetting({ title, body }: TemplateEntry): Setting {
  return title.trim() === '' && body.trim() === '' ? null : { title, body };
}

type Props = {
  entry: TemplateEntry;
  errors: { title: React.ReactNode; body: React.ReactNode };
  onChange: (entry: TemplateEntry) => void;
};

/** Templates for the text of messages, tried on an incident before they are saved. */
export function TemplateFields({ entry, errors, onChange }: Props) {
  return (
    <Stack gap="xs">
      <TextInput
        label="Message title"
        description="Leave empty for the standard title. The status comes before it."
        placeholder="{{ resource }}: {{ title }}"
        maxLength={2000}
        value={entry.title}
        onChange={(event) => onChange({ ...entry, title: event.currentTarget.value })}
        error={errors.title}
      />
      <Textarea
        label="Message body"
        description="Leave empty for the standard sentence. The preview lists the variables, such as title, body, tags and labels.instance."
        placeholder="{{ sentence }} Runbook: https://wiki.example.org"
        autosize
        minRows={2}
        maxRows={10}
        maxLength={2000}
        value={entry.body}
        onChange={(event) => onChange({ ...entry, body: event.currentTarget.value })}
        error={errors.body}
      />
      {(entry.title !== '' || entry.body !== '') && <Preview entry={entry} />}
    </Stack>
  );
}

function Preview({ entry }: { entry: TemplateEntry }) {
  const { workspace } = useWorkspace();
  const newest = useQuery(incidentsListOptions({ query: { workspaceId: workspace.id, limit: 1 } })).data?.items;
  const [incident, setIncident] = useState<IncidentRecord>();
  // A newer incident must not replace the one that the person looks at.
  if (incident === undefined && newest?.[0]) setIncident(newest[0]);
  const preview = useMutation({ ...destinationsPreviewTextMutation(), gcTime: 0 });
  if (!newest) return null;
  if (incident === undefined)
    return (
      <Text size="sm" className="soft">
        The preview requires an incident.
      </Text>
    );
  const faults = preview.error ? fieldFaults(preview.error, ['template.title', 'template.body']) : null;
  return (
    <>
      <Group align="flex-end">
        <IncidentSelect label="Preview with" value={incident} onChange={setIncident} />
        <Button
          variant="default"
          loading={preview.isPending}
          onClick={() =>
            preview.mutate({ body: { workspaceId: workspace.id, incidentId: incident.id, template: entry } })
          }
        >
          Preview
        </Button>
      </Group>
      {preview.data && (
        <Alert variant="outline" title={preview.data.headline} role="status">
          <Text size="sm" className={styles.verbatim}>
            {preview.data.body}
          </Text>
        </Alert>
      )}
      {preview.data && <Variables found={preview.data.variables} />}
      {faults && (
        <Alert color="red" variant="outline" role="alert">
          {[...Object.values(faults.fields), ...faults.rest].join(' ')}
        </Alert>
      )}
    </>
  );
}

/** All variables with their values in the previewed notice. */
function Variables({ found }: { found: TextPreview['variables'] }) {
  return (
    <details>
      <summary>Variables</summary>
      <dl>
        {found.map(({ name, value }) => (
          <div key={name}>
            <Text component="dt" size="sm" ff="monospace">
              {`{{ ${name} }}`}
            </Text>
            <Text component="dd" size="sm" className={`soft ${styles.verbatim}`}>
              {value || 'empty'}
            </Text>
          </div>
        ))}
      </dl>
    </details>
  );
}
