import { Button, Code, Container, Stack, Text, Title } from '@mantine/core';
import { Component, type ErrorInfo, type ReactNode } from 'react';

type State = { fault: Error | null };

/** A screen that fails leaves the frame standing. A part that a newer version replaced is fetched by loading the page again. */
export class ErrorBoundary extends Component<{ children: ReactNode }, State> {
  override state: State = { fault: null };

  static getDerivedStateFromError(fault: Error): State {
    return { fault };
  }

  override componentDidCatch(fault: Error, info: ErrorInfo): void {
    console.error(fault, info.componentStack);
  }

  override render(): ReactNode {
    const { fault } = this.state;
    if (fault === null) return this.props.children;
    const isReplaced = /dynamically imported module|Importing a module/i.test(fault.message);
    return (
      <Container size="sm" py="xl" role="alert">
        <Stack align="flex-start">
          <Title order={1}>{isReplaced ? 'A new version is available' : 'Something went wrong'}</Title>
          <Text>
            {isReplaced ? 'Reload the page to use it.' : 'This is a bug in the dashboard. Your data is not affected.'}
          </Text>
          {!isReplaced && <Code block>{fault.message}</Code>}
          <Button onClick={() => location.reload()}>Reload the page</Button>
        </Stack>
      </Container>
    );
  }
}
