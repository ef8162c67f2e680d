import { Anchor, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Split } from 'lucide-react';
import { Link, useLocation } from 'wouter';
import type { RuleRecord } from '@/api';
import { rulesListInfiniteOptions } from '@/api/@tanstack/react-query.gen';
import { useNames } from '@/lib/configuration/names';
import { outcomeOf } from '@/lib/configuration/ruleWords';
import { pages } from '@/lib/requests/pages';
import { useAllPages } from '@/lib/requests/useAllPages';
import { useWorkspace } from '@/lib/session/workspace';
import { counted } from '@/lib/words/words';
import { type Column, DataTable } from '@/parts/DataTable';
import { EmptyState } from '@/parts/EmptyState';
import { NameLink } from '@/parts/lists/NameLink';
import styles from '@/parts/styles.module.css';
import { namesSource } from '@/screens/sources/rulesOf';
import classes from '@/screens/sources/Sources.module.css';
import type { TabProps } from '@/screens/sources/tabProps';

/** The rules that name this source, and how many further ones apply to events of every source. */
export function RulesTab({ source }: TabProps) {
  const { workspace, href } = useWorkspace();
  const [, navigate] = useLocation();
  const names = useNames();
  const query = useInfiniteQuery({
    ...rulesListInfiniteOptions({ query: { workspaceId: workspace.id, limit: 100 } }),
    ...pages,
  });
  useAllPages(query);
  const rules = query.data?.pages.flatMap((page) => page.items) ?? [];
  const own = rules.filter((rule) => namesSource(rule, source));
  const others = rules.filter((rule) => rule.sourceIds.length === 0 && !namesSource(rule, source)).length;
  const columns: Column<RuleRecord>[] = [
    { header: 'Position', width: 70, cell: (rule) => <span className="numbers">{rule.position}</span> },
    {
      header: 'Rule',
      cell: (rule) => (
        <span className={classes.ruleCell}>
          <NameLink href={href(`rules/${rule.id}`)}>{rule.name}</NameLink>
          <span className={`soft ${styles.anywhere}`}>
            {rule.enabled ? '' : 'Disabled. '}When <span className="mono">{rule.matchText}</span>:{' '}
            {outcomeOf(rule, names)}
          </span>
        </span>
      ),
    },
    {
      header: 'Matched, 24 h',
      width: 130,
      secondary: true,
      cell: (rule) => <span className="numbers">{rule.matchedLast24h.toLocaleString()}</span>,
    },
  ];
  return (
    <>
      <Text size="sm" className="soft" px="md" py="xs">
        {others > 0 &&
          `${counted(others, 'further rule')} ${others === 1 ? 'applies' : 'apply'} to events of every source. `}
        <Anchor component={Link} href={href('rules')} size="sm" underline="always">
          All rules in order
        </Anchor>
      </Text>
      <DataTable
        label="Rules of the source"
        columns={columns}
        query={{ ...query, data: query.data && { pages: [{ items: own }] } }}
        rowKey={(rule) => rule.id}
        onOpen={(rule) => navigate(href(`rules/${rule.id}`))}
        empty={
          <EmptyState icon={Split} title="No rules for this source">
            Rules for all sources apply to its events, then its profile or the default route.
          </EmptyState>
        }
      />
    </>
  );
}
