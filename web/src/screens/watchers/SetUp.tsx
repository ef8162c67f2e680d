import { Anchor, Text } from '@mantine/core';
import { Link } from 'wouter';
import { ownAddress } from '@/lib/navigation/base';
import { useWorkspace } from '@/lib/session/workspace';
import { Snippets } from '@/parts/Snippets';
import { setUpSnippets } from '@/screens/watchers/setUpTexts';

/** Set-up of a watched host: snippets and requirements. */
export function SetUp() {
  const { href } = useWorkspace();
  return (
    <>
      <Text size="sm" mb="xs">
        Use a key of a{' '}
        <Anchor component={Link} href={href('sources')} size="sm" underline="always">
          source
        </Anchor>{' '}
        in place of <span className="mono">svc_src_your_key</span>. The host needs Python 3.8 or later on Linux.
      </Text>
      <Snippets items={setUpSnippets(ownAddress())} />
    </>
  );
}
