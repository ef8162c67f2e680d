import {
  Button,
  Checkbox,
  FileButton,
  Group,
  PasswordInput,
  Radio,
  Select,
  Stack,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core';
import { Upload } from 'lucide-react';
import { useState } from 'react';
import type { ImportKindRecord } from '@/api';
import styles from '@/parts/styles.module.css';
import { ZoneSelect } from '@/parts/ZoneSelect';
import { base64, type Draft, draftOf, isComplete, LARGEST_FILE } from '@/screens/sources/import/draft';

const FORM_WORD: Record<Draft['form'], string> = {
  address: 'From its server',
  document: 'As a text',
  file: 'As a file',
};

type Props = {
  kinds: readonly ImportKindRecord[];
  draft: Draft | null;
  onChange: (draft: Draft) => void;
  onSubmit: () => void;
  isPending: boolean;
};

/** Which tool, and where its set-up is. */
export function DraftForm({ kinds, draft, onChange, onSubmit, isPending }: Props) {
  const kind = kinds.find((each) => each.kind === draft?.kind);
  const choose = (name: string | null) => {
    const chosen = kinds.find((each) => each.kind === name);
    if (chosen) onChange(draftOf(chosen, Intl.DateTimeFormat().resolvedOptions().timeZone));
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
      noValidate
    >
      <Stack>
        <Text className="soft" size="sm">
          Import the configuration of another tool as sources, heartbeat monitors, rules, silences and on-call
          schedules. You review everything before it is created.
        </Text>
        <Select
          label="Tool"
          data={kinds.map((each) => ({ value: each.kind, label: each.label }))}
          value={draft?.kind ?? null}
          onChange={choose}
          allowDeselect={false}
          placeholder="Choose a tool"
          maw={420}
        />
        {draft && kind && (
          <>
            <Text size="sm">{kind.summary}</Text>
            {kind.forms.length > 1 && (
              <Radio.Group
                label="How the configuration is read"
                value={draft.form}
                onChange={(form) => onChange({ ...draft, form: form })}
              >
                <Group mt={6}>
                  {kind.forms.map((form) => (
                    <Radio key={form} value={form} label={FORM_WORD[form]} />
                  ))}
                </Group>
              </Radio.Group>
            )}
            <FormFields draft={draft} kind={kind} onChange={onChange} />
            <Group>
              <Button type="submit" loading={isPending} disabled={!isComplete(draft)}>
                Preview
              </Button>
              {isPending && (
                <Text size="sm" role="status">
                  {draft.form === 'address'
                    ? 'Reading the configuration from the server. This can take a minute.'
                    : 'Reading the configuration. A large one takes up to 20 seconds.'}
                </Text>
              )}
            </Group>
          </>
        )}
      </Stack>
    </form>
  );
}

function FormFields({
  draft,
  kind,
  onChange,
}: {
  draft: Draft;
  kind: ImportKindRecord;
  onChange: (draft: Draft) => void;
}) {
  if (draft.form === 'address')
    return (
      <>
        <TextInput
          label="Address of the server"
          value={draft.address}
          onChange={(event) => onChange({ ...draft, address: event.currentTarget.value })}
          maxLength={1000}
        />
        <PasswordInput
          label="Token"
          description={`${kind.setup} It is used only for this import and never stored.`}
          value={draft.token}
          onChange={(event) => onChange({ ...draft, token: event.currentTarget.value })}
          autoComplete="off"
          maxLength={500}
        />
      </>
    );
  if (draft.form === 'file') return <FileField draft={draft} kind={kind} onChange={onChange} />;
  return (
    <>
      <Textarea
        label="Text"
        description={kind.setup}
        autosize
        minRows={8}
        maxRows={24}
        className="mono"
        spellCheck={false}
        value={draft.document}
        onChange={(event) => onChange({ ...draft, document: event.currentTarget.value })}
      />
      <Group>
        <FileButton onChange={(file) => void file?.text().then((document) => onChange({ ...draft, document }))}>
          {(props) => (
            <Button {...props} variant="default" leftSection={<Upload size={15} aria-hidden />}>
              Choose a file
            </Button>
          )}
        </FileButton>
      </Group>
      {kind.hasSchedules && (
        <>
          <ZoneSelect
            label="Time zone of the machine"
            description="For lines without CRON_TZ."
            value={draft.timezone}
            onChange={(timezone) => onChange({ ...draft, timezone })}
          />
          <Checkbox
            label="The lines name a user, as in /etc/crontab"
            checked={draft.hasUserField}
            onChange={(event) => onChange({ ...draft, hasUserField: event.currentTarget.checked })}
          />
        </>
      )}
    </>
  );
}

function FileField({
  draft,
  kind,
  onChange,
}: {
  draft: Draft;
  kind: ImportKindRecord;
  onChange: (draft: Draft) => void;
}) {
  const [isTooLarge, setTooLarge] = useState(false);
  const choose = (file: File | null) => {
    if (!file) return;
    setTooLarge(file.size > LARGEST_FILE);
    if (file.size > LARGEST_FILE) return;
    void file.arrayBuffer().then((content) => {
      onChange({ ...draft, file: { name: file.name, content: base64(new Uint8Array(content)) } });
    });
  };
  return (
    <div>
      <Text size="sm" className="soft" mb={6}>
        {kind.setup}
      </Text>
      <Group>
        <FileButton onChange={choose}>
          {(props) => (
            <Button {...props} variant="default" leftSection={<Upload size={15} aria-hidden />}>
              Choose a file
            </Button>
          )}
        </FileButton>
        <Text size="sm" className={styles.anywhere}>
          {draft.file?.name ?? 'No file chosen'}
        </Text>
      </Group>
      {isTooLarge && (
        <Text size="sm" role="alert" mt={6} c="var(--severity-error)">
          The file is larger than 3 MiB. Import it on the server with <span className="mono">bin/inbox import</span>.
        </Text>
      )}
    </div>
  );
}
