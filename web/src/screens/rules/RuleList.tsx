import { Button, Text } from '@mantine/core';
import { Plus, Split } from 'lucide-react';
import { useRef, useState } from 'react';
import { Link, useLocation, useSearchParams } from 'wouter';
import type { RuleRecord } from '@/api';
import { useNames } from '@/lib/configuration/names';
import { useKeys } from '@/lib/keyboard/keys';
import { useWorkspace } from '@/lib/session/workspace';
import { EmptyState, SkeletonRows } from '@/parts/EmptyState';
import { Deleted } from '@/parts/history/Deleted';
import { ListSearch } from '@/parts/lists/ListSearch';
import { NoMatch } from '@/parts/lists/NoMatch';
import { PageHeader } from '@/parts/PageHeader';
import { ProblemAlert } from '@/parts/ProblemAlert';
import { DefaultRoute } from '@/screens/rules/DefaultRoute';
import { Refused } from '@/screens/rules/Refused';
import { RuleRow } from '@/screens/rules/RuleRow';
import classes from '@/screens/rules/Rules.module.css';
import { useRules } from '@/screens/rules/useRules';

/** The rules in the order in which they are evaluated, and the default route below. */
export function RuleList() {
  const { href, can } = useWorkspace();
  const [, navigate] = useLocation();
  const names = useNames();
  const { query, rules, move, isMoving, refused, retry, drop } = useRules();
  const [announcement, setAnnouncement] = useState('');
  const dragged = useRef<RuleRecord['id'] | null>(null);
  const list = useRef<HTMLOListElement>(null);
  const mayEdit = can('admin');
  const [params, setParams] = useSearchParams();
  const words = params.get('q') ?? '';
  const search = (next: string) => setParams(next ? { q: next } : {}, { replace: true });
  const found = rules.filter((rule) => rule.name.toLowerCase().includes(words.toLowerCase()));

  const shift = (from: number, to: number) => {
    const rule = rules[from];
    if (move(from, to)) setAnnouncement(`${rule?.name} is now rule ${to + 1} of ${rules.length}.`);
  };
  const dropAt = (to: number, id: string) => {
    // A drop of anything else, such as a link or a file, moves nothing.
    const from = rules.findIndex((rule) => rule.id === dragged.current && rule.id === id);
    dragged.current = null;
    if (from >= 0) shift(from, to);
  };
  const focus = (by: number) => {
    const links = [...(list.current?.querySelectorAll<HTMLElement>('[data-title]') ?? [])];
    const at = links.findIndex((each) => each.closest('li')?.contains(document.activeElement));
    links[Math.min(Math.max(at + by, 0), links.length - 1)]?.focus();
  };
  useKeys('Rules', [
    { keys: 'j', label: 'Next rule', run: () => focus(1) },
    { keys: 'k', label: 'Previous rule', run: () => focus(-1) },
    ...(mayEdit ? [{ keys: 'n', label: 'New rule', run: () => navigate(href('rules/new')) }] : []),
  ]);

  return (
    <>
      <Header mayEdit={mayEdit} href={href} />
      {(query.isPending || rules.length > 0) && <ListSearch screen="Rules" words={words} onChange={search} />}
      <div className="only-for-readers" role="status">
        {announcement}
      </div>
      {query.error && (
        <div className={classes.rulesBar}>
          <ProblemAlert fault={query.error} onRetry={() => query.refetch()} />
        </div>
      )}
      {query.isPending && <SkeletonRows count={5} />}
      {query.data && rules.length === 0 && (
        <EmptyState icon={Split} title="No rule yet">
          The default route below handles all events. Add a rule to treat some of them differently: other recipients,
          another severity, or no incident.
        </EmptyState>
      )}
      {refused.length > 0 && <Refused moves={refused} rules={rules} onAgain={retry} onDrop={drop} />}
      {found.length === 0 && rules.length > 0 && <NoMatch title="No rule matches" onClear={() => search('')} />}
      {found.length > 0 && (
        <ol className={classes.list} ref={list} aria-label="Rules" aria-busy={isMoving || undefined}>
          {found.map((rule) => (
            <RuleRow
              key={rule.id}
              rule={rule}
              index={rules.indexOf(rule)}
              count={rules.length}
              names={names}
              mayEdit={mayEdit}
              href={href(`rules/${rule.id}`)}
              onMove={(to) => shift(rules.indexOf(rule), to)}
              onDrag={(isDragged) => (dragged.current = isDragged ? rule.id : null)}
              onDrop={(id) => dropAt(rules.indexOf(rule), id)}
            />
          ))}
        </ol>
      )}
      {query.data && <DefaultRoute names={names} mayEdit={mayEdit} />}
      {rules.length > 1 && mayEdit && (
        <Text size="xs" className="soft" px="md" py="xs">
          Move the focused rule with Alt and an arrow key.
        </Text>
      )}
    </>
  );
}

type HeaderProps = {
  mayEdit: boolean;
  href: (path: string) => string;
};

function Header({ mayEdit, href }: HeaderProps) {
  return (
    <PageHeader title="Rules" about="Rules are evaluated from top to bottom. The first match decides.">
      {mayEdit && <Deleted kind="rules" />}
      {mayEdit && (
        <Button
          component={Link}
          href={href('rules/new')}
          leftSection={<Plus size={16} aria-hidden />}
          mih="var(--target)"
        >
          New rule
        </Button>
      )}
    </PageHeader>
  );
}
