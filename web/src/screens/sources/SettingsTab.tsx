import { Button, Group, Select, Stack, TagsInput, Text, TextInput, Title } from '@mantine/core';
import { useForm, type UseFormReturnType } from '@mantine/form';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { useLocation } from 'wouter';
import { sourcesRead, type SourceEdit, type SourceKind, type SourceRecord, type SourceKindField } from '@/api';
import {
  incidentsCountsOptions,
  profilesListOptions,
  sourcesEditMutation,
  sourcesRemoveMutation,
} from '@/api/@tanstack/react-query.gen';
import { fieldFaults, isConflict } from '@/lib/requests/problems';
import { refresh } from '@/lib/requests/refresh';
import { useWorkspace } from '@/lib/session/workspace';
import { counted } from '@/lib/words/words';
import { Conflict } from '@/parts/conflict/Conflict';
import { Modal } from '@/parts/dialogs';
import { SkeletonRows } from '@/parts/EmptyState';
import { FormSummary } from '@/parts/ProblemAlert';
import styles from '@/parts/styles.module.css';
import { say, sayFault } from '@/parts/toast';
import { fieldBody, type FieldValues, fieldValues, kindsWith, sourceFields } from '@/screens/sources/kinds/fields';
import { useSourceKinds } from '@/screens/sources/kinds/KindSelect';
import { SourceFields, withExtra } from '@/screens/sources/kinds/SourceFields';
import { SEVERITY_CHOICES } from '@/screens/sources/NewSource';
import type { TabProps } from '@/screens/sources/tabProps';

const NAMES = ['name', 'defaultSeverity', 'groupBy', 'resolveBy', 'routingProfileId'];
const RESOLVE_BY = [
  { value: 'dedupKey', label: 'Same dedup key' },
  { value: 'fingerprint', label: 'Same fingerprint' },
];
const GROUP_FIELDS = ['type', 'resource', 'resource.kind', 'resource.name', 'title', 'url', 'metadata.host'];

type PlainField = 'name' | 'defaultSeverity' | 'groupBy' | 'resolveBy';
type Fields = Required<Pick<SourceEdit, PlainField>> & { routingProfileId: string; extra: FieldValues };

function fieldsOf(kinds: readonly SourceKind[], source: SourceRecord): Fields {
  const { name, defaultSeverity, groupBy, resolveBy, routingProfileId } = source;
  return {
    name,
    defaultSeverity,
    groupBy,
    resolveBy: resolveBy as Fields['resolveBy'],
    routingProfileId: routingProfileId ?? '',
    extra: fieldValues(sourceFields(kinds), source),
  };
}

function bodyOf(kinds: readonly SourceKind[], { routingProfileId, extra, ...values }: Fields): SourceEdit {
  return { ...values, ...fieldBody(sourceFields(kinds), extra), routingProfileId: routingProfileId || null };
}

export function SettingsTab(props: TabProps) {
  const kinds = useSourceKinds();
  return kinds ? <Settings {...props} kinds={kinds} /> : <SkeletonRows count={5} />;
}

/** The form keeps the record that it began with: the live layer may show a newer one beside it. */
function Settings({ source, kinds }: TabProps & { kinds: SourceKind[] }) {
  const { workspace, can } = useWorkspace();
  const isAdmin = can('admin');
  const further = sourceFields(kinds);
  const profiles = useQuery(profilesListOptions({ query: { workspaceId: workspace.id, limit: 200 } }));
  const [opened, setOpened] = useState(source);
  const [rest, setRest] = useState<string[]>([]);
  const form = useForm<Fields>({
    initialValues: fieldsOf(kinds, source),
    validate: { name: (value) => (value.trim() ? null : 'Enter a name.') },
  });
  const edit = useMutation({
    ...sourcesEditMutation(),
    onSuccess: (saved) => {
      take(saved);
      say('Saved');
      void refresh('sourcesList', 'sourcesRead');
    },
    onError: (fault) => {
      if (isConflict(fault)) return;
      const found = fieldFaults(fault, [...NAMES, ...further.map((field) => field.name)]);
      form.setErrors(withExtra(found.fields, further));
      setRest(found.rest);
    },
  });
  const path = { source_id: source.id };
  const take = (latest: SourceRecord) => {
    setOpened(latest);
    form.setInitialValues(fieldsOf(kinds, latest));
    form.setValues(fieldsOf(kinds, latest));
    setRest([]);
  };
  const submit = form.onSubmit((values) => {
    const isSame = JSON.stringify(fieldsOf(kinds, source)) === JSON.stringify(fieldsOf(kinds, opened));
    const { rev } = isSame ? source : opened;
    edit.mutate({ path, headers: { 'If-Match': `"${rev}"` }, body: bodyOf(kinds, values) });
  });
  const choices = [
    { value: '', label: 'The default route' },
    ...(profiles.data?.items ?? []).map((each) => ({ value: each.id, label: each.name })),
  ];
  return (
    <Stack px="md" py="md" maw={640} gap="xl">
      <Conflict
        fault={edit.error}
        noun="source"
        load={async () => (await sourcesRead({ path, throwOnError: true })).data}
        bodyOf={(latest) => bodyOf(kinds, fieldsOf(kinds, latest))}
        opened={opened}
        yours={bodyOf(kinds, form.values)}
        isSaving={edit.isPending}
        onKeep={(sent, { rev }) => edit.mutate({ path, headers: { 'If-Match': `"${rev}"` }, body: sent })}
        onTake={(latest) => {
          take(latest);
          edit.reset();
        }}
        onClose={edit.reset}
      />
      <SettingsFields
        submit={submit}
        isAdmin={isAdmin}
        rest={rest}
        form={form}
        choices={choices}
        kinds={kinds}
        further={further}
        edit={edit}
      />
      {isAdmin && <Deletion source={source} />}
    </Stack>
  );
}

type SettingsFieldsProps = {
  submit: (event?: FormEvent<HTMLFormElement>) => void;
  isAdmin: boolean;
  rest: string[];
  form: UseFormReturnType<Fields>;
  choices: { value: string; label: string }[];
  kinds: SourceKind[];
  further: SourceKindField[];
  edit: { isPending: boolean };
};

function SettingsFields({ submit, isAdmin, rest, form, choices, kinds, further, edit }: SettingsFieldsProps) {
  return (
    <form onSubmit={submit} noValidate>
      <fieldset disabled={!isAdmin} className={styles.group}>
        <Stack>
          <FormSummary faults={rest} />
          <TextInput label="Name" maxLength={100} required {...form.getInputProps('name')} />
          <Select
            label="Default severity"
            description="For events without one."
            data={SEVERITY_CHOICES}
            allowDeselect={false}
            {...form.getInputProps('defaultSeverity')}
          />
          <TagsInput
            label="Group by"
            description="Events with the same values in these fields belong to one incident. A dedup key takes precedence. Up to ten fields, including metadata.NAME."
            data={GROUP_FIELDS}
            maxTags={10}
            clearable
            {...form.getInputProps('groupBy')}
          />
          <Select
            label="A recovery resolves the incident with the"
            data={RESOLVE_BY}
            allowDeselect={false}
            {...form.getInputProps('resolveBy')}
          />
          <Select
            label="Profile where no rule decides"
            data={choices}
            allowDeselect={false}
            {...form.getInputProps('routingProfileId')}
          />
          <div>
            <Title order={2}>Senders</Title>
            <Text size="sm" className="soft">
              These settings affect: {kindsWith(kinds, further).join(', ')}.
            </Text>
          </div>
          <SourceFields fields={further} kinds={kinds} form={form} />
          {form.isDirty() && (
            <Group>
              <Button type="submit" loading={edit.isPending}>
                Save the changes
              </Button>
              <Button variant="default" onClick={form.reset}>
                Discard
              </Button>
            </Group>
          )}
        </Stack>
      </fieldset>
    </form>
  );
}

function Deletion({ source }: { source: SourceRecord }) {
  const { workspace, href } = useWorkspace();
  const [, navigate] = useLocation();
  const [isOpen, setOpen] = useState(false);
  const [typed, setTyped] = useState('');
  const counts = useQuery({
    ...incidentsCountsOptions({ query: { workspaceId: workspace.id, sourceId: [source.id] } }),
    enabled: isOpen,
  });
  const remove = useMutation({
    ...sourcesRemoveMutation(),
    onSuccess: () => {
      say(`${source.name} is deleted.`);
      navigate(href('sources'), { replace: true });
      void refresh('sourcesList');
    },
    onError: sayFault,
  });
  const unresolved = counts.data?.unresolved ?? null;
  return (
    <section>
      <Title order={2} mb={4}>
        Delete this source
      </Title>
      <Text size="sm" className="soft" mb="xs">
        Its keys stop working immediately, and its unresolved incidents are resolved. To stop it temporarily, disable
        it.
      </Text>
      <Button variant="outline" color="red" onClick={() => setOpen(true)}>
        Delete the source
      </Button>
      <Modal opened={isOpen} onClose={() => setOpen(false)} title={`Delete ${source.name}`}>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            remove.mutate({ path: { source_id: source.id } });
          }}
        >
          <Stack gap="xs">
            <Text>
              {unresolved === null
                ? 'Its unresolved incidents are resolved.'
                : unresolved === 0
                  ? 'It has no unresolved incident.'
                  : `${counted(unresolved, 'unresolved incident')} will be resolved by the system.`}{' '}
              Rules for only this source are disabled. It can be restored for seven days. After that, its events and
              incidents are removed.
            </Text>
            <TextInput
              label={`Type the name ${source.name} to confirm`}
              value={typed}
              onChange={(event) => setTyped(event.currentTarget.value)}
              autoComplete="off"
              data-autofocus
            />
            <Group justify="flex-end" mt="xs">
              <Button variant="default" onClick={() => setOpen(false)}>
                Cancel
              </Button>
              <Button color="red" type="submit" disabled={typed.trim() !== source.name} loading={remove.isPending}>
                Delete the source
              </Button>
            </Group>
          </Stack>
        </form>
      </Modal>
    </section>
  );
}
