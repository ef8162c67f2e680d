import { Anchor, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { LegalLinkRecord } from '@/api';
import { infoReadOptions } from '@/api/@tanstack/react-query.gen';

/** The operator's links to legal texts, such as an imprint. Most instances have none. */
export function useLegalLinks(): readonly LegalLinkRecord[] {
  return useQuery(infoReadOptions()).data?.legalLinks ?? [];
}

/** The links at the foot of a page that needs nobody to be signed in. */
export function LegalLinks() {
  const links = useLegalLinks();
  if (links.length === 0) return null;
  return (
    <Group component="nav" aria-label="Legal" gap="md" justify="center">
      {links.map((each) => (
        <Anchor key={each.name} href={each.url} target="_blank" rel="noreferrer" size="sm" underline="always">
          {each.name}
        </Anchor>
      ))}
    </Group>
  );
}
