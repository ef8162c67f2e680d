import { Anchor, Text, TextInput, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Search } from 'lucide-react';
import { useDeferredValue, useEffect, useMemo, useRef, useState } from 'react';
import { Link, useSearchParams } from 'wouter';
import { below } from '@/lib/navigation/base';
import { EmptyState, SkeletonRows } from '@/parts/EmptyState';
import { instanceName } from '@/parts/PageHeader';
import { ProblemAlert } from '@/parts/ProblemAlert';
import classes from '@/screens/docs/Docs.module.css';
import { Prose } from '@/screens/docs/Fields';
import { type Document, type Group, groupsOf, searched } from '@/screens/docs/openapi';
import { OperationDetail } from '@/screens/docs/OperationDetail';

const DOCUMENT = below('/v1/openapi.json');

/** The API reference of the running server, from its own OpenAPI document. Nobody needs to be signed in. */
export default function Docs() {
  const query = useQuery({ queryKey: ['openapi'], queryFn: read, staleTime: Infinity });
  useEffect(() => {
    document.title = `API reference · ${instanceName()}`;
  }, []);
  return (
    <>
      <header className={classes.head}>
        <Title order={1}>API reference</Title>
        <nav aria-label="Elsewhere" className={classes.links}>
          <Anchor component={Link} href="/">
            Go to the inbox
          </Anchor>
          <Anchor href={DOCUMENT}>OpenAPI document</Anchor>
        </nav>
      </header>
      {query.isPending && (
        <main>
          <SkeletonRows />
        </main>
      )}
      {query.error && (
        <main className={classes.page}>
          <ProblemAlert fault={query.error} onRetry={() => query.refetch()} />
        </main>
      )}
      {query.data && <Reference of={query.data} />}
    </>
  );
}

function Reference({ of: openApi }: { of: Document }) {
  const [params] = useSearchParams();
  const [text, setText] = useState('');
  const searchText = useDeferredValue(text);
  const groups = useMemo(() => groupsOf(openApi), [openApi]);
  const found = useMemo(() => searched(groups, searchText), [groups, searchText]);
  const id = params.get('operation');
  const operation = groups.flatMap((group) => group.operations).find((each) => each.id === id);
  const detail = useRef<HTMLElement>(null);
  useEffect(() => {
    if (id) detail.current?.scrollIntoView({ block: 'start' });
  }, [id]);
  return (
    <div className={classes.layout}>
      <nav className={classes.list} aria-label="Operations">
        <TextInput
          aria-label="Search operations"
          placeholder="Search operations"
          leftSection={<Search size={15} aria-hidden />}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        {found.length === 0 && (
          <Text size="sm" className="soft" p="xs" role="status">
            No matching operation.
          </Text>
        )}
        {found.map((group) => (
          <Operations key={group.name} of={group} current={id} />
        ))}
      </nav>
      <main className={classes.detail} ref={detail}>
        {operation ? (
          <OperationDetail key={operation.id} document={openApi} operation={operation} />
        ) : id ? (
          <EmptyState title="There is no such operation">Choose one from the list.</EmptyState>
        ) : (
          <About of={openApi} count={groups.reduce((sum, group) => sum + group.operations.length, 0)} />
        )}
      </main>
    </div>
  );
}

function Operations({ of: group, current }: { of: Group; current: string | null }) {
  return (
    <section>
      <h2>{group.name.replaceAll('_', ' ')}</h2>
      <ul>
        {group.operations.map((each) => (
          <li key={each.id}>
            <Link
              href={`/docs?operation=${encodeURIComponent(each.id)}`}
              className={classes.link}
              aria-current={each.id === current ? 'page' : undefined}
            >
              <span className={classes.method} data-method={each.method}>
                {each.method}
              </span>
              {each.summary ?? each.path}
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}

function About({ of: openApi, count }: { of: Document; count: number }) {
  return (
    <>
      <Title order={2}>
        {openApi.info.title} {openApi.info.version}
      </Title>
      <Text className="soft" size="sm" mb="md">
        {count} operations at {openApi.servers?.[0]?.url}
      </Text>
      {(openApi.info.description ?? '').split('\n\n').map((each) => (
        <Text key={each} mb="sm" maw={720}>
          <Prose text={each} />
        </Text>
      ))}
    </>
  );
}

async function read(): Promise<Document> {
  const answer = await fetch(DOCUMENT, { credentials: 'omit' });
  if (!answer.ok) throw await answer.json();
  return (await answer.json()) as Document;
}
