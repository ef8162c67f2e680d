import { Button } from '@mantine/core';
import { Link } from 'wouter';
import { PublicPage } from '@/parts/PublicPage';

type Props = { about: string; next: { href: string; word: string } };

/** The one page for every refused link: it does not say what is wrong with it. */
export function InvalidLink({ about, next }: Props) {
  return (
    <PublicPage title="This link does not work" about={about}>
      <Button component={Link} href={next.href}>
        {next.word}
      </Button>
    </PublicPage>
  );
}
