import { Anchor, Stack, Text, Title } from '@mantine/core';
import { Link } from 'wouter';
import type { ImportedItem, ImportResult } from '@/api';
import { useWorkspace } from '@/lib/session/workspace';
import { SectionList, SectionRow } from '@/parts/SettingsSection';
import { CodeBlock } from '@/parts/Snippets';
import { TYPE_WORD } from '@/screens/sources/import/PlanReview';
import classes from '@/screens/sources/Sources.module.css';

const SCREEN: Record<Exclude<ImportedItem['type'], 'person'>, string> = {
  source: 'sources',
  monitor: 'heartbeats',
  rule: 'rules',
  silence: 'silences',
  schedule: 'on-call',
  profile: 'profiles',
};

const placeOf = ({ type, id }: ImportedItem) => (type === 'person' ? 'members' : `${SCREEN[type]}/${id}`);

/** The records of an import. The addresses of pings are in the texts, and are shown here alone. */
export function ImportDone({ result }: { result: ImportResult }) {
  const { href } = useWorkspace();
  const created = result.items.filter((item) => item.created && item.type !== 'person');
  const hasSecrets = created.some((item) => item.pingUrl !== null);
  return (
    <Stack>
      <Title order={2} role="status">
        {created.length === 1 ? '1 item was created' : `${created.length.toLocaleString()} items were created`}
      </Title>
      {hasSecrets && (
        <Text size="sm">The snippets contain ping addresses. They are shown only once. Save them now.</Text>
      )}
      <SectionList label="Created items">
        {result.items.map((item) => (
          <SectionRow key={item.reference}>
            <Anchor component={Link} href={href(placeOf(item))} size="sm" fw={600} underline="always">
              {item.name}
            </Anchor>{' '}
            <Text span size="sm" className="soft">
              {TYPE_WORD[item.type]}
              {item.created ? (item.type === 'person' ? ', a member' : '') : ', imported before'}
            </Text>
            {item.created && item.snippet && (
              <div data-secret={item.pingUrl !== null || undefined} className={classes.secret}>
                <CodeBlock text={item.snippet} label={`Text for ${item.name}`} />
              </div>
            )}
          </SectionRow>
        ))}
      </SectionList>
    </Stack>
  );
}
