import { Anchor, Badge, Button, Checkbox, Group, List, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import type { ImportPlan, ImportPlanItem } from '@/api';
import { useWorkspace } from '@/lib/session/workspace';
import { SectionList, SectionRow } from '@/parts/SettingsSection';
import styles from '@/parts/styles.module.css';
import { Shifts } from '@/screens/sources/import/Shifts';

export const TYPE_WORD: Record<ImportPlanItem['type'], string> = {
  source: 'Source',
  monitor: 'Heartbeat monitor',
  rule: 'Rule',
  silence: 'Silence',
  person: 'Person',
  schedule: 'On-call schedule',
  profile: 'Routing profile',
};

const isPossible = (item: ImportPlanItem) => item.status !== 'imported' && item.status !== 'unmatched';

type Props = {
  plan: ImportPlan;
  isPending: boolean;
  onBack: () => void;
  onCreate: (references: string[]) => void;
};

/** What would be created, with a box for each item. Items that exist, and people who are no members, are not chosen. */
export function PlanReview({ plan, isPending, onBack, onCreate }: Props) {
  const possible = plan.items.filter(isPossible).map((item) => item.reference);
  const [chosen, setChosen] = useState(() => new Set(possible));
  const choose = (references: string[], isChosen: boolean) => {
    const next = new Set(chosen);
    for (const each of references)
      if (isChosen) next.add(each);
      else next.delete(each);
    setChosen(next);
  };
  const count = possible.filter((each) => chosen.has(each)).length;
  return (
    <Stack>
      <Notes title="About this import" lines={plan.warnings} />
      <section aria-labelledby="import-items">
        <Title order={2} id="import-items" mb="xs">
          To be created
        </Title>
        {possible.length > 1 && (
          <Checkbox
            label="All"
            mb="xs"
            checked={count === possible.length}
            indeterminate={count > 0 && count < possible.length}
            onChange={(event) => choose(possible, event.currentTarget.checked)}
          />
        )}
        <SectionList label="Items of the import">
          {plan.items.map((item) => (
            <SectionRow key={item.reference}>
              <Item
                item={item}
                isChosen={chosen.has(item.reference)}
                onChoose={(isChosen) => choose([item.reference], isChosen)}
              />
              <Shifts comparison={item.comparison} />
              {item.type === 'person' && item.status === 'unmatched' && item.email && <Invite email={item.email} />}
            </SectionRow>
          ))}
        </SectionList>
      </section>
      <Notes title="Skipped" lines={plan.leftOut.map((each) => `${each.name}: ${each.reason}`)} />
      <Group>
        <Button variant="default" onClick={onBack}>
          Back
        </Button>
        <Button
          loading={isPending}
          disabled={count === 0}
          onClick={() => onCreate(possible.filter((each) => chosen.has(each)))}
        >
          {count === 1 ? 'Create 1 item' : `Create ${count.toLocaleString()} items`}
        </Button>
        {isPending && (
          <Text size="sm" role="status">
            Reading the configuration again and creating the items. Hundreds of items take up to 30 seconds.
          </Text>
        )}
      </Group>
    </Stack>
  );
}

function Item({
  item,
  isChosen,
  onChoose,
}: {
  item: ImportPlanItem;
  isChosen: boolean;
  onChoose: (is: boolean) => void;
}) {
  const exists = item.status === 'imported';
  return (
    <Checkbox
      checked={exists || (isPossible(item) && isChosen)}
      disabled={!isPossible(item)}
      onChange={(event) => onChoose(event.currentTarget.checked)}
      label={
        <>
          <Group gap={8}>
            <Text span size="sm" fw={600} c="var(--text)">
              {item.name}
            </Text>
            <Text span size="sm" className="soft">
              {TYPE_WORD[item.type]}
            </Text>
            {exists && (
              <Badge size="sm" variant="outline" color="gray">
                Imported before
              </Badge>
            )}
            {item.status === 'unmatched' && (
              <Badge size="sm" variant="outline" color="gray">
                {item.type === 'person' ? 'Not a member' : 'Pages nobody'}
              </Badge>
            )}
          </Group>
          <Text size="sm" c="var(--text)">
            {item.text}
          </Text>
          {item.status === 'same_name' && (
            <Warning text={`Another ${TYPE_WORD[item.type].toLowerCase()} has this name.`} />
          )}
          {item.warnings.map((each) => (
            <Warning key={each} text={each} />
          ))}
        </>
      }
    />
  );
}

/** Owners invite in a tab of its own, so that the plan stays. */
function Invite({ email }: { email: string }) {
  const { can, href } = useWorkspace();
  if (!can('owner')) return null;
  return (
    <Anchor
      href={href(`members?invite=${encodeURIComponent(email)}`)}
      target="_blank"
      rel="noopener"
      size="sm"
      underline="always"
      ml={32}
    >
      Invite {email} (new tab)
    </Anchor>
  );
}

function Warning({ text }: { text: string }) {
  return (
    <Text size="sm" c="var(--severity-warning)">
      {text}
    </Text>
  );
}

function Notes({ title, lines }: { title: string; lines: readonly string[] }) {
  if (lines.length === 0) return null;
  return (
    <section>
      <Title order={2} mb={4}>
        {title}
      </Title>
      <List size="sm" spacing={4}>
        {lines.map((each, index) => (
          <List.Item key={index} className={styles.anywhere}>
            {each}
          </List.Item>
        ))}
      </List>
    </section>
  );
}
