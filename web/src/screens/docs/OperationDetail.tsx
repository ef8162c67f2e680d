import { Text, Title } from '@mantine/core';
import { CodeBlock } from '@/parts/Snippets';
import styles from '@/parts/styles.module.css';
import classes from '@/screens/docs/Docs.module.css';
import { Fields, Prose } from '@/screens/docs/Fields';
import {
  type Answer,
  answersOf,
  type Content,
  curlOf,
  type Document,
  fieldsOf,
  type Operation,
  typeText,
} from '@/screens/docs/openapi';

const CREDENTIALS: Record<string, string> = {
  sessionCookie: 'Session',
  deviceBearer: 'Paired device',
  sourceKey: 'Source key',
  heartbeatToken: 'Heartbeat token',
  metricsToken: 'Metrics token',
};

/** One operation: what it needs, what it takes, and what it answers. */
export function OperationDetail({ document, operation }: { document: Document; operation: Operation }) {
  const { good, problems } = answersOf(document, operation);
  const parameters = operation.parameters ?? [];
  const fields = parameters.map((each) => ({
    name: each.name,
    isRequired: each.required ?? false,
    schema: { ...each.schema, description: [inWords(each.in), each.description].filter(Boolean).join(' ') },
  }));
  return (
    <article>
      <Title order={2}>{operation.summary ?? operation.id}</Title>
      <div className={classes.path}>
        <span className={classes.method} data-method={operation.method}>
          {operation.method}
        </span>
        {operation.path}
      </div>
      {(operation.description ?? '').split('\n\n').map((each) => (
        <Text key={each} size="sm" mb="xs">
          <Prose text={each} />
        </Text>
      ))}
      <div className={classes.needs}>
        {needs(operation).map((each) => (
          <span key={each} className={classes.need}>
            {each}
          </span>
        ))}
      </div>
      <CodeBlock text={curlOf(operation, document.servers?.[0]?.url ?? '')} label="Request with curl" />
      {fields.length > 0 && (
        <>
          <Title order={3}>Parameters</Title>
          <Fields document={document} fields={fields} />
        </>
      )}
      {operation.requestBody?.content && (
        <Body title="Request body" document={document} content={operation.requestBody.content} />
      )}
      {good.map(([status, answer]) => (
        <Answered key={status} status={status} answer={answer} document={document} />
      ))}
      {problems.length > 0 && (
        <>
          <Title order={3}>Problems</Title>
          <Fields
            document={document}
            fields={problems.map(([status, each]) => ({
              name: status,
              isRequired: false,
              schema: { description: each.description ?? '' },
            }))}
          />
        </>
      )}
    </article>
  );
}

function Answered({ status, answer, document }: { status: string; answer: Answer; document: Document }) {
  const title = `Response ${status}`;
  if (answer.content && Object.keys(answer.content).length > 0)
    return <Body title={title} document={document} content={answer.content} />;
  return (
    <>
      <Title order={3}>{title}</Title>
      <Text size="sm" className="soft">
        {answer.description ?? 'No body.'}
      </Text>
    </>
  );
}

function Body({ title, document, content }: { title: string; document: Document; content: Content }) {
  return Object.entries(content).map(([type, { schema, example }]) => (
    <section key={type}>
      <Title order={3}>
        {title}{' '}
        <span className={`soft ${classes.light}`}>
          {type} {typeText(schema)}
        </span>
      </Title>
      <Fields document={document} fields={fieldsOf(document, schema)} />
      {example !== undefined && (
        <details className={styles.below}>
          <summary className={classes.more}>Example</summary>
          <CodeBlock
            text={typeof example === 'string' ? example : JSON.stringify(example, null, 2)}
            label={`Example: ${title}`}
          />
        </details>
      )}
    </section>
  ));
}

function needs(operation: Operation): string[] {
  const names = [...new Set((operation.security ?? []).flatMap(Object.keys))].map((each) => CREDENTIALS[each] ?? each);
  return [
    names.length > 0 ? names.join(' or ') : 'No credential',
    operation['x-role'] ? `Role ${operation['x-role']}` : '',
    operation['x-step-up'] === 'reauth' ? 'Re-authentication' : operation['x-step-up'] ? 'Recent proof' : '',
  ].filter(Boolean);
}

function inWords(place: string): string {
  return place === 'path' ? 'In the path.' : place === 'header' ? 'A header.' : '';
}
