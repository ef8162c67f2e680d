import { Button } from '@mantine/core';
import { ShieldAlert } from 'lucide-react';
import type { WorkspaceRecord } from '@/api';
import { below } from '@/lib/navigation/base';
import { auth } from '@/lib/session/identity';
import { EmptyState } from '@/parts/EmptyState';

/** In place of every screen of a workspace that wants a second factor, for a person who has none. */
export function SecondFactorGate({ workspace }: { workspace: WorkspaceRecord }) {
  const isDevice = auth().kind === 'device';
  return (
    <EmptyState
      isScreen
      icon={ShieldAlert}
      title={`${workspace.name} requires a second factor`}
      action={
        !isDevice && (
          <Button component="a" href={below('/account#second-factor')}>
            Set up a second factor
          </Button>
        )
      }
    >
      {isDevice
        ? 'Set up an authenticator app or a passkey in a browser where you are signed in. This phone then continues automatically.'
        : 'A password alone is not enough. Set up an authenticator app or a passkey in your account, then come back.'}
    </EmptyState>
  );
}
