import { Title } from '@mantine/core';
import { changesOf, valueText } from '@/parts/audit/changes';
import classes from '@/parts/audit/Details.module.css';

/** The details of an entry: changed fields before and after, and all other stored details. */
export function Details({ details }: { details: Record<string, unknown> }) {
  const { changes, rest } = changesOf(details);
  return (
    <>
      {changes.length > 0 && (
        <section>
          <Title order={2} mb={4}>
            Changes
          </Title>
          <table className={classes.changes} aria-label="Changes">
            <thead>
              <tr>
                <th scope="col">Field</th>
                <th scope="col">Before</th>
                <th scope="col">After</th>
              </tr>
            </thead>
            <tbody>
              {changes.map(({ field, before, after }) => (
                <tr key={field}>
                  <th scope="row">{field}</th>
                  <td className="soft">{valueText(before)}</td>
                  <td>{valueText(after)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
      {Object.keys(rest).length > 0 && (
        <section>
          <Title order={2}>Details</Title>
          <pre className={classes.details}>{JSON.stringify(rest, null, 2)}</pre>
        </section>
      )}
    </>
  );
}
