import { Button, Center, Loader } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Suspense, useEffect, useState, type ReactNode } from 'react';
import { Link, Redirect, useLocation } from 'wouter';
import { infoReadOptions, meReadOptions } from '@/api/@tanstack/react-query.gen';
import { isAddressOf, type Screen } from '@/lib/navigation/screen';
import { dropCopy, dropCopyOfOthers } from '@/lib/offline/copy';
import { configureClient } from '@/lib/requests/http';
import { isProblem } from '@/lib/requests/problems';
import { queries } from '@/lib/requests/queries';
import { myWorkspaces, readStart } from '@/lib/requests/start';
import { renewPush } from '@/lib/session/auth';
import { markSignedIn } from '@/lib/session/proof';
import {
  homeOf,
  knowsWorkspace,
  rememberWorkspace,
  SessionProvider,
  WorkspaceProvider,
  type Session,
} from '@/lib/session/workspace';
import { showTimesOf } from '@/lib/time/time';
import { EmptyState } from '@/parts/EmptyState';
import { ErrorBoundary } from '@/parts/ErrorBoundary';
import { NotBuilt } from '@/parts/NotBuilt';
import { instanceName } from '@/parts/PageHeader';
import { ProblemAlert } from '@/parts/ProblemAlert';
import { startLive } from '@/live/live';
import { componentOf, screenNamed } from '@/app/screens';
import { SecondFactorGate } from '@/app/SecondFactorGate';
import { Shell } from '@/app/shell/Shell';

/** A page that names an unknown workspace offers so many of the person's. */
const MOST_OFFERED = 5;
import { useSavedPreferences, useSavedWorkspace } from '@/app/useSavedPreferences';

configureClient();

/** Screens that need nobody to be signed in, without the frame. */
const PUBLIC = [
  'setup',
  'login',
  'forgot',
  'reset',
  'signup',
  'invite',
  'verify-email',
  'email-change',
  'pair',
  'docs',
  'wall',
];

/** The whole app: public screens by the first part of the address, everything else after signing in. */
export function App() {
  const [path] = useLocation();
  const [first = '', ...rest] = path.split('/').filter(Boolean);
  if (PUBLIC.includes(first)) return <Shown name={first} rest={rest} />;
  return <SignedIn first={first} rest={rest} />;
}

function SignedIn({ first, rest }: { first: string; rest: string[] }) {
  useState(() => readStart(queries));
  const me = useQuery(meReadOptions());
  const isRefused = isProblem(me.error) && me.error.status === 401;
  // A failed read keeps what was read before: the person is still signed in.
  const signedIn = me.data !== undefined && !isRefused;
  const workspaces = useQuery({ ...myWorkspaces(), enabled: signedIn });
  const [path] = useLocation();
  const userId = me.data?.id;
  const saved = useSavedPreferences(signedIn);
  const named = first === 'w' ? workspaces.data?.items.find((each) => each.slug === rest[0]) : undefined;
  useSavedWorkspace(saved.data, named?.id);
  useEffect(() => {
    if (userId) void dropCopyOfOthers(userId);
  }, [userId]);
  useEffect(() => {
    if (!signedIn) return;
    markSignedIn(true);
    void renewPush().catch(() => undefined);
    return startLive();
  }, [signedIn]);
  if (isRefused) return <Entrance next={path + location.search} />;
  const fault = me.error ?? workspaces.error;
  if (fault && !(me.data && workspaces.data))
    return (
      <Center mih="60vh" p="md">
        <ProblemAlert
          fault={fault}
          onRetry={() => {
            void me.refetch();
            void workspaces.refetch();
          }}
        />
      </Center>
    );
  if (!me.data || !workspaces.data) return <EmptyFrame />;
  const { items } = workspaces.data;
  if (first === '' && saved.isLoading && !knowsWorkspace(items)) return <EmptyFrame />;
  const home = homeOf(items, saved.data?.lastWorkspaceId);
  return <Framed session={{ me: me.data, workspaces: items }} home={home} first={first} rest={rest} />;
}

/** Nobody is signed in: the set-up while there is no account, else the sign-in page. */
function Entrance({ next }: { next: string }) {
  const info = useQuery(infoReadOptions());
  useEffect(() => void dropCopy(), []);
  if (info.isPending) return <Waiting />;
  if (info.data?.setupRequired) return <Redirect to={`/setup${location.hash}`} replace />;
  return <Redirect to={next === '/' ? '/login' : `/login?next=${encodeURIComponent(next)}`} replace />;
}

type FramedProps = { session: Session; home: string; first: string; rest: string[] };

function Framed({ session, home, first, rest }: FramedProps) {
  const inWorkspace = first === 'w';
  const workspace = inWorkspace
    ? session.workspaces.find((each) => each.slug === rest[0])
    : session.workspaces.find((each) => home.startsWith(`/w/${each.slug}/`));
  const slug = workspace?.slug;
  showTimesOf(workspace?.timezone);
  useEffect(() => {
    if (inWorkspace && slug) rememberWorkspace(slug);
  }, [inWorkspace, slug]);
  if (first === '') return <Redirect to={home} replace />;
  if (inWorkspace && slug && rest.length === 1) return <Redirect to={`/w/${slug}/inbox`} replace />;
  const [name = '', parts] = inWorkspace ? [rest[1], rest.slice(2)] : [first, rest];
  return (
    <SessionProvider value={session}>
      <WorkspaceProvider value={workspace ?? null}>
        <Frame name={inWorkspace && !workspace ? '' : name}>
          {inWorkspace && !workspace ? (
            <EmptyState
              isScreen
              title="This workspace does not exist, or you are not a member"
              action={session.workspaces.slice(0, MOST_OFFERED).map((each) => (
                <Button key={each.id} component={Link} href={`/w/${each.slug}/inbox`} variant="default" m={4}>
                  Open {each.name}
                </Button>
              ))}
            >
              Ask a workspace owner for an invite, or choose another workspace.
            </EmptyState>
          ) : inWorkspace && workspace?.settings.requireMfa && !session.me.hasSecondFactor ? (
            <SecondFactorGate workspace={workspace} />
          ) : (
            <Shown key={`${slug} ${name}`} name={name} rest={parts} />
          )}
        </Frame>
      </WorkspaceProvider>
    </SessionProvider>
  );
}

/** The frame of a screen. A screen without a frame fills the window. */
function Frame({ name, children }: { name: string; children: ReactNode }) {
  return screenNamed(name)?.isBare ? <>{children}</> : <Shell active={name}>{children}</Shell>;
}

/** One screen; it fails alone. */
function Shown({ name, rest }: { name: string; rest: string[] }) {
  const screen: Screen | undefined = screenNamed(name);
  const Component = screen && componentOf(name);
  if (!screen || !isAddressOf(screen, rest))
    return (
      <EmptyState isScreen title="Page not found">
        Check the address or use the navigation.
      </EmptyState>
    );
  const isPublic = PUBLIC.includes(name);
  const missing = isPublic ? (
    <main>
      <NotBuilt screen={screen} />
    </main>
  ) : (
    <NotBuilt screen={screen} />
  );
  return (
    <ErrorBoundary key={name}>
      <Suspense fallback={isPublic ? <Waiting /> : <RowsToCome />}>
        {Component ? <Component rest={rest} /> : missing}
      </Suspense>
    </ErrorBoundary>
  );
}

/** What the document shows before the first script runs. */
function EmptyFrame() {
  return (
    <div className="frame">
      <b className="frame-name">{instanceName()}</b>
      <RowsToCome />
    </div>
  );
}

function RowsToCome() {
  return <div className="rows-to-come" role="status" aria-label="Loading" />;
}

/** Shown only after a moment: what is there at once needs no sign of waiting. */
function Waiting() {
  const [late, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), 300);
    return () => clearTimeout(timer);
  }, []);
  return <Center mih="60vh">{late && <Loader size="sm" role="status" aria-label="Loading" />}</Center>;
}
