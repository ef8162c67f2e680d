import { Center, Paper, Stack, Text, Title } from '@mantine/core';
import { useEffect, type ReactNode } from 'react';
import { below } from '@/lib/navigation/base';
import { LegalLinks } from '@/parts/LegalLinks';
import { instanceName } from '@/parts/PageHeader';
import styles from '@/parts/styles.module.css';

/** The frame of pages that need nobody to be signed in: one column. */
export function PublicPage({
  title,
  about,
  children,
  width = 400,
}: {
  title: string;
  about?: ReactNode;
  children: ReactNode;
  width?: number;
}) {
  useEffect(() => {
    document.title = `${title} · ${instanceName()}`;
  }, [title]);
  return (
    <Center mih="100vh" p="md" bg="var(--ground-soft)" component="main">
      <Paper withBorder p={{ base: 'lg', xs: 'xl' }} w="100%" maw={width} bg="var(--ground)">
        <Stack>
          <div>
            <img src={below('/favicon.svg')} alt="" width={32} height={32} className={styles.logo} />
            <Title order={1}>{title}</Title>
            {about && (
              <Text className="soft" size="sm" mt={4} component="div">
                {about}
              </Text>
            )}
          </div>
          {children}
          <LegalLinks />
        </Stack>
      </Paper>
    </Center>
  );
}
