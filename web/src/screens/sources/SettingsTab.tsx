import { Group, Select, Stack, TagsInput, Text, TextInput, Title } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { sourcesRead, type SourceEdit, type SourceKind, type SourceRecord } from '@/api';
import {
  incidentsCountsOptions,
  profilesListOptions,
  sourcesEditMutation,
  sourcesRemoveMutation,
} from '@/api/@tanstack/react-query.gen';
import { RESOLVE_WHEN } from '@/lib/configuration/resolveWhen';
import { useFaults } from '@/lib/forms/useFaults';
import { type FieldFaults, formFaults, NO_FAULTS } from '@/lib/requests/problems';
import { refresh } from '@/lib/requests/refresh';
import { useWorkspace } from '@/lib/session/workspace';
import { counted, type Severity } from '@/lib/words/words';
import { useOpened } from '@/parts/conflict/useOpened';
import { DeleteButton } from '@/parts/editor/DeleteButton';
import { DeleteSection } from '@/parts/editor/DeleteSection';
import { EditorForm } from '@/parts/editor/EditorForm';
import { SaveButtons } from '@/parts/editor/SaveButtons';
import { SkeletonRows } from '@/parts/EmptyState';
import { FormSummary } from '@/parts/ProblemAlert';
import styles from '@/parts/styles.module.css';
import { say, sayFault } from '@/parts/toast';
import { fieldBody, type FieldValues, fieldValues, kindsWith, sourceFields } from '@/screens/sources/kinds/fields';
import { useSourceKinds } from '@/screens/sources/kinds/KindSelect';
import { SourceFields, withExtra } from '@/screens/sources/kinds/SourceFields';
import { SEVERITY_CHOICES } from '@/screens/sources/NewSource';
import type { TabProps } from '@/screens/sources/tabProps';

const NAMES = ['name', 'defaultSeverity', 'groupBy', 'resolveBy', 'resolveWhen', 'routingProfileId'];
const RESOLVE_BY = [
  { value: 'dedupKey', label: 'Same dedup key' },
  { value: 'fingerprint', label: 'Same fingerprint' },
];
const GROUP_FIELDS = ['type', 'resource', 'resource.kind', 'resource.name', 'title', 'url', 'metadata.host'];

type PlainField = 'name' | 'defaultSeverity' | 'groupBy' | 'resolveBy' | 'resolveWhen';
type Fields = Required<Pick<SourceEdit, PlainField>> & { routingProfileId: string; extra: FieldValues };

function fieldsOf(kinds: readonly SourceKind[], source: SourceRecord): Fields {
  const { name, defaultSeverity, groupBy, resolveBy, resolveWhen, routingProfileId } = source;
  return {
    name,
    defaultSeverity,
    groupBy,
    resolveBy: resolveBy as Fields['resolveBy'],
    resolveWhen: resolveWhen as Fields['resolveWhen'],
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

/** The settings of a source for all senders, those of some kinds, and the deletion. */
function Settings({ source, kinds }: TabProps & { kinds: SourceKind[] }) {
  const { can } = useWorkspace();
  const isAdmin = can('admin');
  const { opened, base, form, setForm, take, discard, isChanged } = useOpened(
    source,
    (stored) => fieldsOf(kinds, stored),
    () => fieldsOf(kinds, source),
    (fields) => bodyOf(kinds, fields),
  );
  const { edit, save, faults, setFaults, element } = useSave(source, kinds, form, take);
  return (
    <Stack px="md" py="md" maw={640}>
      <EditorForm<SourceRecord>
        conflict={{
          fault: edit.error,
          noun: 'source',
          load: async () => (await sourcesRead({ path: { source_id: source.id }, throwOnError: true })).data,
          bodyOf: (latest) => bodyOf(kinds, fieldsOf(kinds, latest)),
          opened,
          yours: bodyOf(kinds, form),
          isSaving: edit.isPending,
          onKeep: (sent, latest) => save(sent, latest.rev),
          onTake: (latest) => {
            take(latest);
            edit.reset();
          },
          onClose: edit.reset,
        }}
        onSave={() => {
          if (form.name.trim()) save(bodyOf(kinds, form), (base ?? source).rev);
          else setFaults({ fields: { name: 'Enter a name.' }, rest: [] });
        }}
        noValidate
        element={element}
      >
        <fieldset disabled={!isAdmin} className={styles.fields}>
          <Stack>
            <FormSummary faults={faults.rest} />
            <SettingsFields form={form} onChange={setForm} faults={faults.fields} kinds={kinds} />
            {isChanged && (
              <Group>
                <SaveButtons
                  label="Save the changes"
                  isSaving={edit.isPending}
                  cancel={() => {
                    discard();
                    setFaults(NO_FAULTS);
                  }}
                  cancelLabel="Discard"
                />
              </Group>
            )}
          </Stack>
        </fieldset>
      </EditorForm>
      {isAdmin && <Deletion source={source} />}
    </Stack>
  );
}

/** Changes the source under a revision. A refusal goes to the fields. */
function useSave(source: SourceRecord, kinds: SourceKind[], form: Fields, take: (saved: SourceRecord) => void) {
  const further = sourceFields(kinds);
  const { element, faults, setFaults } = useFaults(form);
  const edit = useMutation({
    ...sourcesEditMutation(),
    onSuccess: (saved) => {
      take(saved);
      setFaults(NO_FAULTS);
      say('Saved');
      void refresh('sourcesList', 'sourcesRead');
    },
    onError: (fault) => {
      const found = formFaults(fault, [...NAMES, ...further.map((field) => field.name)]);
      setFaults({ ...found, fields: withExtra(found.fields, further) });
    },
  });
  const save = (body: SourceEdit, rev: number) =>
    edit.mutate({ path: { source_id: source.id }, headers: { 'If-Match': `"${rev}"` }, body });
  return { edit, save, element, faults, setFaults };
}

type SettingsFieldsProps = {
  form: Fields;
  onChange: (form: Fields) => void;
  faults: FieldFaults['fields'];
  kinds: SourceKind[];
};

function SettingsFields({ form, onChange, faults, kinds }: SettingsFieldsProps) {
  const { workspace } = useWorkspace();
  const profiles = useQuery(profilesListOptions({ query: { workspaceId: workspace.id, limit: 200 } }));
  const further = sourceFields(kinds);
  return (
    <>
      <TextInput
        label="Name"
        maxLength={100}
        required
        value={form.name}
        onChange={(event) => onChange({ ...form, name: event.currentTarget.value })}
        error={faults.name}
      />
      <Select
        label="Default severity"
        description="For events without one."
        data={SEVERITY_CHOICES}
        allowDeselect={false}
        value={form.defaultSeverity}
        onChange={(value) => onChange({ ...form, defaultSeverity: value as Severity })}
        error={faults.defaultSeverity}
      />
      <TagsInput
        label="Group by"
        description="Events with the same values in these fields belong to one incident. A dedup key takes precedence. Up to ten fields, including metadata.NAME."
        data={GROUP_FIELDS}
        maxTags={10}
        clearable
        value={form.groupBy}
        onChange={(groupBy) => onChange({ ...form, groupBy })}
        error={faults.groupBy}
      />
      <Select
        label="Match recoveries by"
        data={RESOLVE_BY}
        allowDeselect={false}
        value={form.resolveBy}
        onChange={(value) => onChange({ ...form, resolveBy: value as Fields['resolveBy'] })}
        error={faults.resolveBy}
      />
      <Select
        label="Resolve an incident when"
        description="Where several alerts are grouped into one incident."
        data={RESOLVE_WHEN}
        allowDeselect={false}
        value={form.resolveWhen}
        onChange={(value) => onChange({ ...form, resolveWhen: value ?? 'all' })}
        error={faults.resolveWhen}
      />
      <Select
        label="Fallback profile"
        data={[
          { value: '', label: 'The default route' },
          ...(profiles.data?.items ?? []).map((each) => ({ value: each.id, label: each.name })),
        ]}
        allowDeselect={false}
        value={form.routingProfileId}
        onChange={(value) => onChange({ ...form, routingProfileId: value ?? '' })}
        error={faults.routingProfileId}
      />
      <div>
        <Title order={2}>Senders</Title>
        <Text size="sm" className="soft">
          These settings affect: {kindsWith(kinds, further).join(', ')}.
        </Text>
      </div>
      <SourceFields
        fields={further}
        kinds={kinds}
        values={form.extra}
        faults={faults}
        onChange={(extra) => onChange({ ...form, extra })}
      />
    </>
  );
}

function Deletion({ source }: { source: SourceRecord }) {
  const { href } = useWorkspace();
  const [, navigate] = useLocation();
  const remove = useMutation({
    ...sourcesRemoveMutation(),
    onSuccess: () => {
      say(`${source.name} is deleted.`);
      navigate(href('sources'), { replace: true });
      void refresh('sourcesList');
    },
    onError: sayFault,
  });
  return (
    <DeleteSection
      noun="source"
      about="Its keys stop working immediately, and its unresolved incidents are resolved. To stop it temporarily, disable it."
    >
      <DeleteButton
        noun="source"
        name={source.name}
        isDeleting={remove.isPending}
        onDelete={() => remove.mutate({ path: { source_id: source.id } })}
        mustTypeName
      >
        <Consequences source={source} />
      </DeleteButton>
    </DeleteSection>
  );
}

/** What follows from the deletion, with the number of incidents that it resolves. */
function Consequences({ source }: { source: SourceRecord }) {
  const { workspace } = useWorkspace();
  const query = { workspaceId: workspace.id, sourceId: [source.id] };
  const unresolved = useQuery(incidentsCountsOptions({ query })).data?.unresolved ?? null;
  return (
    <Text>
      {unresolved === null
        ? 'Its unresolved incidents are resolved.'
        : unresolved === 0
          ? 'It has no unresolved incident.'
          : `${counted(unresolved, 'unresolved incident')} will be resolved by the system.`}{' '}
      Rules for only this source are disabled. It can be restored for seven days. After that, its events and incidents
      are removed.
    </Text>
  );
}
