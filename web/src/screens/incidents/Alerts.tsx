import { Title } from '@mantine/core';
import type { AlertRecord, IncidentRecord } from '@/api';
import { counted, SEVERITY_WORD } from '@/lib/words/words';
import { type Column, DataTable } from '@/parts/DataTable';
import { EmptyState } from '@/parts/EmptyState';
import { firingNote } from '@/parts/incidentNotes';
import { SeverityIcon } from '@/parts/SeverityBadge';
import styles from '@/parts/styles.module.css';
import { TimeAgo } from '@/parts/TimeAgo';
import { beginning } from '@/screens/incidents/beginning';
import classes from '@/screens/incidents/Incident.module.css';
import { useAlerts } from '@/screens/incidents/useAlerts';

const COLUMNS: Column<AlertRecord>[] = [
  { header: 'Alert', cell: (alert) => <Alert alert={alert} /> },
  { header: 'State', cell: (alert) => <AlertState alert={alert} />, width: 84 },
  { header: 'Since', cell: (alert) => <TimeAgo at={beginning(alert) ?? alert.firstSeenAt} />, width: 96 },
  { header: 'Last seen', cell: (alert) => <TimeAgo at={alert.lastSeenAt} />, width: 104, secondary: true },
  {
    header: 'Events',
    cell: (alert) => <span className="numbers">{alert.eventCount.toLocaleString()}</span>,
    width: 76,
    secondary: true,
  },
];

/** The alerts of an incident with several: those that fire first. An incident with one alert is told by its own screen. */
export function Alerts({ incident }: { incident: IncidentRecord }) {
  if (incident.alertCount < 2) return null;
  return <List incident={incident} />;
}

function List({ incident }: { incident: IncidentRecord }) {
  const query = useAlerts(incident);
  return (
    <section className={classes.alerts} aria-labelledby="alerts">
      <Title order={2} id="alerts">
        Alerts
        <span className={`soft ${styles.small} ${classes.count}`}>
          {firingNote(incident) ?? counted(incident.alertCount, 'alert')}
        </span>
      </Title>
      <DataTable
        label="Alerts"
        columns={COLUMNS}
        query={query}
        rowKey={(alert) => alert.id}
        empty={<EmptyState title="No alert is kept" />}
      />
      {incident.alertsLeftOut > 0 && (
        <p className={`soft ${styles.small}`}>
          {counted(incident.alertsLeftOut, 'event')} of further alerts: at most 10,000 alerts are kept.
        </p>
      )}
    </section>
  );
}

function Alert({ alert }: { alert: AlertRecord }) {
  return (
    <span className={classes.alert} data-ended={alert.state === 'ended' || undefined}>
      <SeverityIcon severity={alert.severity} />
      <span className={styles.stacked}>
        <span className="clip" title={alert.title}>
          <span className="only-for-readers">{SEVERITY_WORD[alert.severity]}: </span>
          {alert.title}
        </span>
        {alert.key !== alert.title && (
          <span className={`clip mono soft ${styles.tiny}`} title={alert.key}>
            {alert.key}
          </span>
        )}
      </span>
    </span>
  );
}

function AlertState({ alert }: { alert: AlertRecord }) {
  return alert.state === 'firing' ? (
    <span className={classes.firing}>Firing</span>
  ) : (
    <span className={styles.valid}>Ended</span>
  );
}
