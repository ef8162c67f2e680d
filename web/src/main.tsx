import '@mantine/core/styles/baseline.layer.css';
import '@mantine/core/styles/default-css-variables.layer.css';
import '@mantine/core/styles/global.layer.css';
import './tokens.css';
import './frame.css';
import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Router } from 'wouter';
import { base, load, within } from '@/lib/navigation/base';
import { aroundNav, guardBack } from '@/lib/navigation/leaveGuard';
import { startCopy } from '@/lib/offline/copy';
import { catchInstallOffer, registerWorker } from '@/lib/offline/install';
import { applyPreferences, followOtherTabs } from '@/lib/preferences/preferences';
import { queries } from '@/lib/requests/queries';
import { isInstalled, startAuth } from '@/lib/session/auth';
import { auth } from '@/lib/session/identity';
import { ErrorBoundary } from '@/parts/ErrorBoundary';
import { ShownToast } from '@/parts/ShownToast';
import { ProofQuestions } from '@/parts/proof/ProofQuestions';
import { App } from '@/app/App';
import { theme, variables } from '@/theme';

// Somebody opened the service past the proxy that adds the path.
if (within(location.pathname) === null && location.pathname !== base)
  load(location.pathname + location.search + location.hash);

applyPreferences();
followOtherTabs();
catchInstallOffer();
guardBack();
const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';
// Libraries below Mantine take the nonce of their style elements from here.
Object.assign(window, { __webpack_nonce__: nonce });

await startAuth();
if (auth().kind === 'device' || isInstalled()) await startCopy();
registerWorker();

createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <MantineProvider
      theme={theme}
      cssVariablesResolver={variables}
      defaultColorScheme="auto"
      getStyleNonce={() => nonce}
    >
      <QueryClientProvider client={queries}>
        <ShownToast />
        <ErrorBoundary>
          <Router base={base} aroundNav={aroundNav}>
            <App />
            <ProofQuestions />
          </Router>
        </ErrorBoundary>
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);
