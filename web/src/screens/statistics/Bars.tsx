import { Button } from '@mantine/core';
import { useState } from 'react';
import type { BucketRecord, StatisticsRecord } from '@/api';
import { SEVERITIES, SEVERITY_WORD } from '@/lib/words';
import { severityColour, SeverityIcon } from '@/parts/SeverityBadge';
import classes from '@/screens/statistics/Statistics.module.css';

type Props = { buckets: BucketRecord[]; bucket: StatisticsRecord['bucket']; timezone: string };

/** New incidents by time, stacked by severity; the same numbers as a table. */
export function Bars({ buckets, bucket, timezone }: Props) {
  const [asTable, setAsTable] = useState(false);
  const most = Math.max(1, ...buckets.map((each) => each.incidents));
  const shown = SEVERITIES.filter((severity) => buckets.some((each) => each.bySeverity[severity]));
  const step = Math.max(1, Math.ceil(buckets.length / 6));
  return (
    <section aria-labelledby="bars" className={classes.wide}>
      <div style={{ display: 'flex', justifyContent: 'space-between', alignItems: 'center' }}>
        <h2 id="bars" className={classes.heading}>
          New incidents by {bucket}
        </h2>
        <Button
          variant="default"
          size="compact-sm"
          mih="var(--target)"
          onClick={() => setAsTable(!asTable)}
          aria-pressed={asTable}
        >
          Table
        </Button>
      </div>
      {asTable ? (
        <Table buckets={buckets} bucket={bucket} timezone={timezone} shown={shown} />
      ) : (
        <>
          <div
            className={classes.chart}
            role="img"
            aria-label={`At most ${most} new incidents in one ${bucket}. The button Table shows all numbers.`}
          >
            <span className={`${classes.most} numbers`}>{most.toLocaleString()}</span>
            {buckets.map((each) => (
              <div
                key={each.start}
                className={classes.bar}
                title={`${label(each.start, bucket, timezone)}: ${each.incidents}`}
              >
                {[...shown].reverse().map((severity) => {
                  const count = each.bySeverity[severity] ?? 0;
                  return (
                    count > 0 && (
                      <span
                        key={severity}
                        style={{ height: `${(count / most) * 100}%`, background: severityColour(severity) }}
                      />
                    )
                  );
                })}
              </div>
            ))}
          </div>
          <div className={classes.axis} aria-hidden>
            {buckets.map((each, index) => (
              <span key={each.start}>{index % step === 0 ? label(each.start, bucket, timezone) : ''}</span>
            ))}
          </div>
          <ul className={classes.legend}>
            {shown.map((severity) => (
              <li key={severity}>
                <SeverityIcon severity={severity} size={12} /> {SEVERITY_WORD[severity]}
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}

function Table({ buckets, bucket, timezone, shown }: Props & { shown: typeof SEVERITIES }) {
  return (
    <div style={{ overflowX: 'auto' }} tabIndex={0} role="region" aria-label="New incidents as a table">
      <table className={classes.table}>
        <thead>
          <tr>
            <th scope="col">Start</th>
            <th scope="col" className={classes.number}>
              All
            </th>
            {shown.map((severity) => (
              <th key={severity} scope="col" className={classes.number}>
                {SEVERITY_WORD[severity]}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {buckets.map((each) => (
            <tr key={each.start}>
              <th scope="row">{label(each.start, bucket, timezone)}</th>
              <td className={classes.number}>{each.incidents.toLocaleString()}</td>
              {shown.map((severity) => (
                <td key={severity} className={classes.number}>
                  {(each.bySeverity[severity] ?? 0).toLocaleString()}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The share of the largest row. */
export function Meter({ share }: { share: number }) {
  return (
    <span className={classes.meter} aria-hidden>
      <span style={{ width: `${Math.max(1, share * 100)}%` }} />
    </span>
  );
}

/** Buckets begin by the clock of the workspace, so they are labelled in its time zone. */
function label(start: string, bucket: StatisticsRecord['bucket'], timeZone: string): string {
  const options: Intl.DateTimeFormatOptions =
    bucket === 'hour' ? { hour: '2-digit', minute: '2-digit' } : { month: 'short', day: 'numeric' };
  return new Intl.DateTimeFormat(undefined, { ...options, timeZone }).format(new Date(start));
}
