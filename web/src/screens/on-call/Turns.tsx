import { ActionIcon, MultiSelect, Select, Stack, Text } from '@mantine/core';
import { ArrowDown, ArrowUp, X } from 'lucide-react';
import { useMembers } from '@/lib/configuration/members';
import { moved } from '@/screens/on-call/draft';
import classes from '@/screens/on-call/Editor.module.css';

const MOST_TURNS = 50;
const MOST_PEOPLE = 10;

type Props = { turns: readonly string[][]; onChange: (turns: string[][]) => void; fault?: string };

/** The people who take turns, in order. A turn may have several people at once. */
export function Turns({ turns, onChange, fault }: Props) {
  const members = useMembers();
  const present = new Set(members.choices.map((each) => each.value));
  const former = [...new Set(turns.flat())].filter((id) => !present.has(id));
  const choices = [...members.choices, ...former.map((id) => ({ value: id, label: members.of(id) }))];
  return (
    <div>
      <Text size="sm" fw={500} mb={4}>
        People who take turns
      </Text>
      <ol className={classes.turns}>
        {turns.map((people, index) => (
          <li key={index}>
            <span className="soft numbers" aria-hidden>
              {index + 1}
            </span>
            <MultiSelect
              aria-label={`People of turn ${index + 1}`}
              flex={1}
              miw={0}
              searchable
              maxValues={MOST_PEOPLE}
              data={choices}
              value={people}
              placeholder={people.length > 0 ? undefined : 'Nobody'}
              onChange={(next) => onChange(turns.map((each, at) => (at === index ? next : each)))}
              nothingFoundMessage="No member"
            />
            <ActionIcon
              aria-label={`Move turn ${index + 1} up`}
              disabled={index === 0}
              onClick={() => onChange(moved(turns, index, index - 1))}
            >
              <ArrowUp size={16} aria-hidden />
            </ActionIcon>
            <ActionIcon
              className={classes.wide}
              aria-label={`Move turn ${index + 1} down`}
              disabled={index === turns.length - 1}
              onClick={() => onChange(moved(turns, index, index + 1))}
            >
              <ArrowDown size={16} aria-hidden />
            </ActionIcon>
            <ActionIcon
              aria-label={`Remove turn ${index + 1}`}
              onClick={() => onChange(turns.filter((_, at) => at !== index))}
            >
              <X size={16} aria-hidden />
            </ActionIcon>
          </li>
        ))}
      </ol>
      <Stack gap={0}>
        <Select
          aria-label="Add a person"
          placeholder="Add a person"
          searchable
          data={members.choices}
          value={null}
          disabled={turns.length >= MOST_TURNS}
          onChange={(id) => id && onChange([...turns, [id]])}
          error={fault}
          nothingFoundMessage="No member"
        />
      </Stack>
    </div>
  );
}
