import { Box, List, Text } from '@mantine/core';
import type { ImportPlanItem } from '@/api';
import styles from '@/parts/styles.module.css';
import { TimeAt } from '@/parts/TimeAgo';

const names = (people: readonly string[]) => (people.length > 0 ? people.join(', ') : 'nobody');

/** Whether the shifts of an imported schedule are those of the other tool, and each period in which they are not. */
export function Shifts({ comparison }: { comparison: ImportPlanItem['comparison'] }) {
  if (!comparison) return null;
  const { total, differences } = comparison;
  if (total === 0)
    return (
      <Text size="sm" ml={32} c="var(--severity-success)">
        Same shifts for 60 days
      </Text>
    );
  return (
    <Box component="details" ml={32} className={styles.anywhere}>
      <summary>
        <Text span size="sm" c="var(--severity-warning)">
          {total === 1 ? '1 period' : `${total.toLocaleString()} periods`} of 60 days with other people on call
        </Text>
      </summary>
      <List size="sm" spacing={2} mt={4}>
        {differences.map((each) => (
          <List.Item key={each.startsAt}>
            <TimeAt at={each.startsAt} short /> to <TimeAt at={each.endsAt} short />: {names(each.theirs)} there,{' '}
            {names(each.ours)} here
          </List.Item>
        ))}
      </List>
      {total > differences.length && (
        <Text size="sm" className="soft">
          The first {differences.length} are listed.
        </Text>
      )}
    </Box>
  );
}
