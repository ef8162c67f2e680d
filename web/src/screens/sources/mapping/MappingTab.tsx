import { Button, Group, SimpleGrid, Stack, Text, Textarea, Title, UnstyledButton } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Braces } from 'lucide-react';
import { useState } from 'react';
import { sourcesRead, type SourceRecord } from '@/api';
import { sourcesEditMutation, sourcesReadSampleOptions } from '@/api/@tanstack/react-query.gen';
import { isConflict } from '@/lib/requests/problems';
import { refresh } from '@/lib/requests/refresh';
import { useWorkspace } from '@/lib/session/workspace';
import { useOpened } from '@/parts/conflict/useOpened';
import { EditorForm } from '@/parts/editor/EditorForm';
import { SaveButtons } from '@/parts/editor/SaveButtons';
import { EmptyState } from '@/parts/EmptyState';
import { FormSummary } from '@/parts/ProblemAlert';
import styles from '@/parts/styles.module.css';
import { say } from '@/parts/toast';
import { draftOf, labelOf, mappingOf, picked, type Target, type Draft } from '@/screens/sources/mapping/draft';
import { Fields } from '@/screens/sources/mapping/Fields';
import { faultsOf, Preview, usePreview } from '@/screens/sources/mapping/Preview';
import { itemPaths, parsed, type Pick, picks, type Json } from '@/screens/sources/mapping/sample';
import { withFields, wordsOf } from '@/screens/sources/mapping/words';
import classes from '@/screens/sources/Sources.module.css';
import type { TabProps } from '@/screens/sources/tabProps';

export function MappingTab({ source }: TabProps) {
  const { can } = useWorkspace();
  if (!can('admin'))
    return (
      <EmptyState icon={Braces} title="Only administrators can view the mapping">
        You need the Admin role to view it.
      </EmptyState>
    );
  return <Editor key={source.id} source={source} />;
}

/** The draft of the mapping, the record that it began with, and how to save it. */
function useMapping(source: SourceRecord) {
  const {
    form: draft,
    setForm: setDraft,
    ...record
  } = useOpened(
    source,
    (stored) => draftOf(stored.mapping),
    () => draftOf(source.mapping),
    mappingOf,
  );
  const edit = useMutation({
    ...sourcesEditMutation(),
    onSuccess: (saved) => {
      record.take(saved);
      say('Saved');
      void refresh('sourcesList', 'sourcesRead');
    },
  });
  return { ...record, draft, setDraft, mapping: mappingOf(draft), edit };
}

/** How JSON of any sender becomes events: a sample, the paths of each field, and what comes of them. */
function Editor({ source }: { source: SourceRecord }) {
  const { opened, base, draft, setDraft, mapping, isChanged, edit, take, discard } = useMapping(source);
  const [text, setText] = useState('');
  const [target, setTarget] = useState<Target>('title');
  const sample = parsed(text);
  const preview = usePreview(source, mapping, sample);
  const faults = { ...preview.faults, ...(edit.error && !isConflict(edit.error) ? faultsOf(edit.error) : {}) };
  const { rev } = base ?? source;
  const isRemoval = edit.variables?.body.mapping === null;
  const save = (next: SourceRecord['mapping'], rev: number) =>
    edit.mutate({ path: { source_id: source.id }, headers: { 'If-Match': `"${rev}"` }, body: { mapping: next } });
  return (
    <Stack px="md" py="md" gap="lg" maw={1200}>
      <About />
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="xl" verticalSpacing="lg">
        <SampleColumn
          source={source}
          text={text}
          sample={sample}
          setText={setText}
          draft={draft}
          target={target}
          setDraft={setDraft}
          preview={preview}
        />
        <EditorForm<SourceRecord>
          conflict={{
            fault: edit.error,
            noun: 'mapping',
            load: async () => (await sourcesRead({ path: { source_id: source.id }, throwOnError: true })).data,
            bodyOf: (stored) => wordsOf(stored.mapping),
            opened,
            yours: wordsOf(isRemoval ? null : mapping),
            isSaving: edit.isPending,
            onKeep: (sent, latest) =>
              save(isRemoval ? null : withFields(latest.mapping, mapping, Object.keys(sent)), latest.rev),
            onTake: (latest) => {
              take(latest);
              edit.reset();
            },
            onClose: edit.reset,
          }}
          onSave={() => save(mapping, rev)}
          noValidate
        >
          <FormSummary faults={faults[''] ? [faults['']] : []} />
          <Fields
            draft={draft}
            faults={faults}
            arrays={sample ? itemPaths(sample) : []}
            onChange={setDraft}
            onTarget={setTarget}
          />
          <Group mt="md">
            {isChanged && (
              <SaveButtons
                label="Save the mapping"
                isSaving={edit.isPending}
                cancel={() => {
                  discard();
                  edit.reset();
                }}
                cancelLabel="Discard"
              />
            )}
            {opened?.mapping && !isChanged && (
              <Button variant="outline" color="red" loading={edit.isPending} onClick={() => save(null, rev)}>
                Remove the mapping
              </Button>
            )}
          </Group>
        </EditorForm>
      </SimpleGrid>
    </Stack>
  );
}

function About() {
  return (
    <div>
      <Title order={2}>Any JSON</Title>
      <Text size="sm" className="soft">
        For senders without a built-in integration. They post to <span className="mono">/v1/hooks/custom</span> with a
        key of this source. Paste a payload, choose a field, then pick its path.
      </Text>
    </div>
  );
}

type SampleColumnProps = {
  source: SourceRecord;
  text: string;
  sample: Json[] | { [name: string]: Json } | null;
  setText: (text: string) => void;
  draft: Draft;
  target: Target;
  setDraft: (draft: Draft) => void;
  preview: ReturnType<typeof usePreview>;
};

/** The sample, its paths, and the events that come of it. */
function SampleColumn({ source, text, sample, setText, draft, target, setDraft, preview }: SampleColumnProps) {
  return (
    <Stack
      pos={{ base: 'static', md: 'sticky' }}
      top={72}
      mah={{ md: 'calc(100vh - 88px)' }}
      className={classes.sample}
    >
      <Sample source={source} text={text} isRead={sample !== null} onChange={setText} />
      {sample && (
        <Paths
          found={picks(sample, draft.items)}
          target={target}
          onPick={(path) => setDraft(picked(draft, target, path))}
        />
      )}
      <div aria-live="polite">{preview.shown && <Preview shown={preview.shown} />}</div>
    </Stack>
  );
}

type SampleProps = { source: SourceRecord; text: string; isRead: boolean; onChange: (text: string) => void };

function Sample({ source, text, isRead, onChange }: SampleProps) {
  const query = useQuery(sourcesReadSampleOptions({ path: { source_id: source.id } }));
  const last = query.data?.sample;
  return (
    <>
      <Textarea
        label="Payload"
        description="A JSON object or array, as the sender sends it. It is not stored."
        placeholder='{"alerts": [{"name": "DiskFull", "host": "db2"}]}'
        value={text}
        error={text.trim() && !isRead ? 'This is not a JSON object or array.' : null}
        autosize
        minRows={6}
        maxRows={16}
        spellCheck={false}
        classNames={{ input: 'mono' }}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
      />
      {last && !last.truncated && parsed(last.body) && (
        <Button variant="default" className={styles.start} onClick={() => onChange(last.body)}>
          Use the last payload of this source
        </Button>
      )}
    </>
  );
}

function Paths({ found, target, onPick }: { found: Pick[]; target: Target; onPick: (path: string) => void }) {
  return (
    <section aria-label="Paths">
      <Text size="sm" className="soft" mb={4}>
        Select a path to insert it into the field you used last: <b>{labelOf(target)}</b>.
      </Text>
      <div className={classes.paths} tabIndex={-1}>
        {found.map(({ path, value }) => (
          <UnstyledButton key={path} onClick={() => onPick(path)} className={classes.path}>
            <span className={`mono ${styles.anywhere}`}>{path}</span>
            <span className={`soft ${classes.pathValue}`}>{value}</span>
          </UnstyledButton>
        ))}
      </div>
    </section>
  );
}
