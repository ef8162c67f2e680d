import { Anchor, Button, Checkbox, Chip } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { KeyRound } from 'lucide-react';
import { useState } from 'react';
import { Link, useSearchParams } from 'wouter';
import type { KeyRecord } from '@/api';
import { keysListInfiniteOptions, sourcesListOptions } from '@/api/@tanstack/react-query.gen';
import { KEY_KINDS } from '@/lib/configuration/keyKinds';
import { pages } from '@/lib/requests/pages';
import { useAllPages } from '@/lib/requests/useAllPages';
import { useWorkspace } from '@/lib/session/workspace';
import { useNow } from '@/lib/time/time';
import { EmptyState, SkeletonRows } from '@/parts/EmptyState';
import { KeyState } from '@/parts/KeyState';
import { LastUse } from '@/parts/LastUse';
import { PageHeader } from '@/parts/PageHeader';
import { ProblemAlert } from '@/parts/ProblemAlert';
import styles from '@/parts/styles.module.css';
import { TimeAgo } from '@/parts/TimeAgo';
import { bySource, FILTERS, isLive } from '@/screens/keys/filters';
import classes from '@/screens/keys/Keys.module.css';
import { Revocation } from '@/screens/keys/Revocation';

/** All source keys of the workspace by source, and the revocation of several at once. */
export default function Keys() {
  const { can } = useWorkspace();
  return (
    <>
      <PageHeader title="Source keys" about="Every key that sends events to this workspace." />
      {can('admin') ? (
        <KeysOfWorkspace />
      ) : (
        <EmptyState icon={KeyRound} title="Only administrators can view keys">
          You need the Admin role to view them.
        </EmptyState>
      )}
    </>
  );
}

function KeysOfWorkspace() {
  const { workspace, href } = useWorkspace();
  const [params, setParams] = useSearchParams();
  const [selected, setSelected] = useState<ReadonlySet<KeyRecord['id']>>(new Set());
  const [isAsking, setAsking] = useState(false);
  const now = useNow();
  const query = useInfiniteQuery({
    ...keysListInfiniteOptions({ query: { workspaceId: workspace.id, limit: 200, sort: 'source', order: 'asc' } }),
    ...pages,
  });
  // Filters look at all keys.
  useAllPages(query);
  const sources = useQuery(sourcesListOptions({ query: { workspaceId: workspace.id, limit: 200 } }));
  const names = new Map(sources.data?.items.map((each) => [each.id, each.name]));
  const all = query.data?.pages.flatMap((page) => page.items) ?? [];
  const filter = FILTERS.find((each) => each.name === params.get('show')) ?? FILTERS[0]!;
  const shown = all.filter((key) => filter.has(key, now));
  const chosen = shown.filter((key) => selected.has(key.id) && isLive(key));
  const toggle = (ids: KeyRecord['id'][], on: boolean) =>
    setSelected((old) => new Set(on ? [...old, ...ids] : [...old].filter((each) => !ids.includes(each))));
  const revokeOne = (key: KeyRecord) => {
    setSelected(new Set([key.id]));
    setAsking(true);
  };
  if (query.isPending) return <SkeletonRows />;
  const problem = query.error && (
    <div className={styles.bar}>
      <ProblemAlert fault={query.error} onRetry={() => query.refetch()} />
    </div>
  );
  if (problem && all.length === 0) return problem;
  if (all.length === 0) return <NoKey sources={href('sources')} />;
  return (
    <>
      {problem}
      <Chip.Group
        value={filter.name}
        onChange={(name) => {
          setSelected(new Set());
          setParams(name === 'live' ? {} : { show: name }, { replace: true });
        }}
      >
        <div className={classes.filters} role="radiogroup" aria-label="Filter keys">
          {FILTERS.map((each) => (
            <Chip key={each.name} value={each.name} variant="light" size="sm">
              {each.label} · {all.filter((key) => each.has(key, now)).length}
            </Chip>
          ))}
        </div>
      </Chip.Group>
      {shown.length === 0 ? (
        <EmptyState title={`${filter.label}: none`}>No keys match this filter.</EmptyState>
      ) : (
        <KeyTable shown={shown} href={href} names={names} selected={selected} toggle={toggle} onRevoke={revokeOne} />
      )}
      {chosen.length > 0 && <SelectionBar chosen={chosen} setAsking={setAsking} />}
      <Revocation
        keys={isAsking ? chosen : []}
        onClose={() => setAsking(false)}
        onRevoked={(ids) => toggle(ids, false)}
      />
    </>
  );
}

function NoKey({ sources }: { sources: string }) {
  return (
    <EmptyState
      icon={KeyRound}
      title="No key yet"
      action={
        <Button component={Link} href={sources}>
          Show the sources
        </Button>
      }
    >
      Each source has its own keys. Create a source first.
    </EmptyState>
  );
}

type SelectionBarProps = {
  chosen: KeyRecord[];
  setAsking: (isAsking: boolean) => void;
};

function SelectionBar({ chosen, setAsking }: SelectionBarProps) {
  return (
    <div className={classes.bar} role="region" aria-label="Selection">
      <span>
        {chosen.length} {chosen.length === 1 ? 'key' : 'keys'} selected
      </span>
      <Button color="red" onClick={() => setAsking(true)}>
        Revoke
      </Button>
    </div>
  );
}

type KeyTableProps = {
  shown: KeyRecord[];
  href: (path: string) => string;
  names: ReadonlyMap<string, string>;
  selected: ReadonlySet<KeyRecord['id']>;
  toggle: (ids: KeyRecord['id'][], on: boolean) => void;
  onRevoke: (key: KeyRecord) => void;
};

/** The keys by their sources. */
function KeyTable({ shown, href, names, selected, toggle, onRevoke }: KeyTableProps) {
  return (
    <table className={classes.table} aria-label="Source keys">
      <Head />
      {bySource(shown).map(([sourceId, keys]) => (
        <tbody key={sourceId}>
          <tr>
            <th colSpan={7} scope="rowgroup" className={classes.source}>
              <Anchor component={Link} href={href(`sources/${sourceId}?tab=keys`)} c="var(--text)" fw={600}>
                {names.get(sourceId) ?? 'A deleted source'}
              </Anchor>
            </th>
          </tr>
          {keys.map((key) => (
            <Row
              key={key.id}
              of={key}
              isSelected={selected.has(key.id)}
              onSelect={(on) => toggle([key.id], on)}
              onRevoke={() => onRevoke(key)}
            />
          ))}
        </tbody>
      ))}
    </table>
  );
}

function Head() {
  return (
    <thead>
      <tr>
        <th scope="col" className={classes.checkColumn}>
          <span className="only-for-readers">Select</span>
        </th>
        <th scope="col">Name</th>
        <th scope="col">Key</th>
        <th scope="col">State</th>
        <th scope="col" className={classes.secondary}>
          Last used
        </th>
        <th scope="col" className={classes.secondary}>
          Created
        </th>
        <th scope="col">
          <span className="only-for-readers">Actions</span>
        </th>
      </tr>
    </thead>
  );
}

function Row({
  of: key,
  isSelected,
  onSelect,
  onRevoke,
}: {
  of: KeyRecord;
  isSelected: boolean;
  onSelect: (on: boolean) => void;
  onRevoke: () => void;
}) {
  return (
    <tr>
      <td>
        {isLive(key) && (
          <Checkbox
            aria-label={`Select the key ${key.name || key.hint}`}
            checked={isSelected}
            onChange={(event) => onSelect(event.currentTarget.checked)}
          />
        )}
      </td>
      <td className={classes.keyName}>
        {key.name || 'Key'}
        {key.kind !== 'source_key' && <span className={`soft ${classes.keyKind}`}>{KEY_KINDS[key.kind].label}</span>}
      </td>
      <td className={`mono ${styles.oneLine}`}>…{key.hint}</td>
      <td>
        <KeyState of={key} />
      </td>
      <td className={classes.secondary}>
        <LastUse of={key} />
      </td>
      <td className={classes.secondary}>
        <TimeAgo at={key.createdAt} />
        {key.createdBy && <span className="soft"> by {key.createdBy.name}</span>}
      </td>
      <td>
        {isLive(key) && (
          <Button
            variant="default"
            size="xs"
            mih="var(--target)"
            aria-label={`Revoke ${key.name || key.hint}`}
            onClick={onRevoke}
          >
            Revoke
          </Button>
        )}
      </td>
    </tr>
  );
}
