import { Alert, Button, List, Stack, Text } from '@mantine/core';
import { Share, Smartphone } from 'lucide-react';
import type { ReactNode } from 'react';
import type { PairResponse } from '@/api';
import { below } from '@/lib/navigation/base';
import { useInstallOffer } from '@/lib/offline/install';
import { isInstalled } from '@/lib/session/auth';
import { clock } from '@/lib/time/time';
import { PublicPage } from '@/parts/PublicPage';
import { NotificationStep } from '@/screens/pair/NotificationStep';
import classes from '@/screens/pair/Pair.module.css';
import { type Platform, platform } from '@/screens/pair/platform';
import { Step } from '@/screens/pair/Step';

/** The phone is paired. In Safari of iOS the app on the Home Screen is what is paired, and it has to be added now. */
export function Done({ paired }: { paired: PairResponse }) {
  if (paired.handOffExpiresAt)
    return (
      <PublicPage title="Now add it to the Home Screen" about={`Paired with ${paired.user.name}.`}>
        <Stack>
          <HomeScreen />
          <Alert variant="outline" color="blue" icon={<Smartphone size={18} aria-hidden />}>
            <Text size="sm">
              Open the app from the Home Screen before {clock(paired.handOffExpiresAt)}. It pairs when it first starts.
              If it asks for a code, show a new one on your computer and enter it there.
            </Text>
          </Alert>
        </Stack>
      </PublicPage>
    );
  return (
    <PublicPage title="This phone is paired">
      <Stack gap="lg">
        <ol className={classes.steps}>
          <Step number={1} title="Paired" isDone>
            <Text size="sm">It acts as {paired.user.name}.</Text>
          </Step>
          <NotificationStep number={2} />
          <Step number={3} title="Home screen" isDone={isInstalled()}>
            <HomeSteps />
          </Step>
        </ol>
        <Button component="a" href={below('/')} variant="default" mih="var(--target)">
          Open the inbox
        </Button>
      </Stack>
    </PublicPage>
  );
}

const STEPS: Record<Platform, readonly ReactNode[]> = {
  ios: [
    <>
      Tap <Share size={15} aria-label="Share" className={classes.share} /> in the bar of Safari.
    </>,
    'Choose “Add to Home Screen”, then “Add”.',
    'Open the app from the Home Screen.',
  ],
  'ios-other': ['Open this page in Safari: other browsers of iOS do not pass the pairing to the app.'],
  'android-chromium': ['Open the menu ⋮ of the browser.', 'Choose “Add to Home screen”, then “Install”.'],
  'android-firefox': ['Open the menu ⋮ of the browser.', 'Choose “Add app to Home screen”.'],
  desktop: ['Choose “Install” in the address bar or the menu of the browser.'],
};

/** Instructions to install the app with this browser. Nothing when it is installed already. */
export function HomeScreen() {
  if (isInstalled()) return null;
  return (
    <section aria-labelledby="install">
      <Text component="h2" id="install" fw={600} size="sm" mb={4}>
        Add it to the home screen to start it like an app
      </Text>
      <HomeSteps />
    </section>
  );
}

function HomeSteps() {
  const install = useInstallOffer();
  if (isInstalled()) return <Text size="sm">You started it from there.</Text>;
  if (install)
    return (
      <Button variant="default" fullWidth onClick={install} mih="var(--target)">
        Install the app
      </Button>
    );
  return (
    <List type="ordered" size="sm" spacing={4}>
      {STEPS[platform()].map((step, index) => (
        <List.Item key={index}>{step}</List.Item>
      ))}
    </List>
  );
}
