import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { authStepUp, authStepUpOptions } from '@/api';
import { passkeyProof } from '@/lib/passkey';
import { type Question, useQuestion } from '@/lib/proof';
import { type Factor, ProofFields } from '@/parts/proof/ProofFields';
import { SignInForm } from '@/parts/proof/SignInForm';

/** The two dialogs over the page: sign in again, and confirm your identity. The refused request is sent again afterwards. */
export function ProofDialogs() {
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
            <Text size="sm">Sign in to continue. This page stays as it is.</Text>
            <SignInForm onSignedIn={() => question.settle(true)} />
          </Stack>
        )}
      </Modal>
      <Modal
        opened={question?.kind === 'stepUp'}
        onClose={() => question?.settle(false)}
        title="Confirm that it is you"
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
      <Text size="sm">This act needs a recent confirmation of your identity.</Text>
      <ProofFields factors={question.factors} prove={prove} submitWord="Confirm" />
      <Group justify="flex-end">
        <Button variant="subtle" color="gray" onClick={() => question.settle(false)}>
          Cancel
        </Button>
      </Group>
    </Stack>
  );
}
