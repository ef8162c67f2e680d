import { Button, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { LogIn } from 'lucide-react';
import { useEffect, useState } from 'react';
import { authStepUp, authStepUpOptions } from '@/api';
import { factorsReadOptions, meReadOptions, oidcProvidersOptions } from '@/api/@tanstack/react-query.gen';
import { message } from '@/lib/requests/problems';
import { queries } from '@/lib/requests/queries';
import { passkeyProof } from '@/lib/session/passkey';
import { type Question, useQuestion } from '@/lib/session/proof';
import { openProvider, whenProved } from '@/lib/session/provider';
import { settleSignIn } from '@/lib/session/settleSignIn';
import { Modal } from '@/parts/dialogs';
import { FormSummary } from '@/parts/ProblemAlert';
import type { Factor } from '@/parts/proof/factors';
import { ProofFields } from '@/parts/proof/ProofFields';
import { SignInForm } from '@/parts/proof/SignInForm';

/** The two dialogs over the page: sign in again, and confirm your identity. The refused request is sent again afterwards. */
export default function ProofDialogs() {
  const question = useQuestion();
  return (
    <>
      <Modal
        opened={question?.kind === 'signIn'}
        onClose={() => question?.settle(false)}
        title="Your session has ended"
        closeOnClickOutside={false}
        zIndex={500}
      >
        {question?.kind === 'signIn' && (
          <Stack>
            <Text size="sm">Sign in to continue. Nothing on this page is lost.</Text>
            <SignInForm
              email={queries.getQueryData(meReadOptions().queryKey)?.email}
              onSignedIn={() => void settleSignIn(question)}
            />
          </Stack>
        )}
      </Modal>
      <Modal
        opened={question?.kind === 'stepUp'}
        onClose={() => question?.settle(false)}
        title="Confirm your identity"
        closeOnClickOutside={false}
        zIndex={500}
      >
        {question?.kind === 'stepUp' && <StepUp question={question} />}
      </Modal>
    </>
  );
}

function StepUp({ question }: { question: Question }) {
  const prove = async (factor: Factor, value: string) => {
    if (factor === 'passkey') {
      const { data } = await authStepUpOptions({ throwOnError: true });
      const credential = await passkeyProof(data.options);
      await authStepUp({ body: { factor, challenge: data.challenge, credential }, throwOnError: true });
    } else if (factor === 'password') {
      await authStepUp({ body: { factor, password: value }, throwOnError: true });
    } else {
      await authStepUp({ body: { factor, code: value }, throwOnError: true });
    }
    question.settle(true);
  };
  return (
    <Stack>
      <Text size="sm">Confirm that it’s you to continue.</Text>
      {question.factors.includes('oidc') && <Providers onProved={() => question.settle(true)} />}
      <ProofFields factors={question.factors} prove={prove} submitWord="Confirm" />
      <Group justify="flex-end">
        <Button variant="subtle" color="gray" onClick={() => question.settle(false)}>
          Cancel
        </Button>
      </Group>
    </Stack>
  );
}

/** The linked identity providers. Each opens in a separate window; this dialog continues after its success. */
function Providers({ onProved }: { onProved: () => void }) {
  const providers = useQuery(oidcProvidersOptions());
  const factors = useQuery(factorsReadOptions());
  const [busy, setBusy] = useState('');
  const [faults, setFaults] = useState<string[]>([]);
  useEffect(() => whenProved(onProved), [onProved]);
  const linked = new Set(factors.data?.identities.map((each) => each.provider));
  const open = async (id: string) => {
    setBusy(id);
    setFaults([]);
    try {
      await openProvider(id, 'step-up');
    } catch (fault) {
      setFaults([message(fault)]);
    } finally {
      setBusy('');
    }
  };
  return (
    <>
      <FormSummary faults={faults} />
      {providers.data?.items
        .filter((each) => linked.has(each.id))
        .map((each) => (
          <Button
            key={each.id}
            variant="default"
            leftSection={<LogIn size={16} aria-hidden />}
            loading={busy === each.id}
            onClick={() => void open(each.id)}
          >
            Confirm with {each.name}
          </Button>
        ))}
    </>
  );
}
