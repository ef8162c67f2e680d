import { Tooltip } from '@mantine/core';
import { WifiOff } from 'lucide-react';
import { clock, useNow } from '@/lib/time';
import { useConnection } from '@/live/live';

const STALE = 10_000;

/** A dot in the header: live, connecting, reconnecting since when. */
export function ConnectionDot() {
  const connection = useConnection();
  const [colour, text] =
    connection.state === 'live'
      ? ['var(--severity-success)', 'Live: changes appear by themselves']
      : connection.state === 'connecting'
        ? ['var(--text-soft)', 'Connecting']
        : ['var(--severity-warning)', `Reconnecting since ${clock(new Date(connection.since).toISOString())}`];
  return (
    <Tooltip label={text}>
      <span
        role="status"
        aria-label={text}
        data-connection={connection.state}
        style={{ display: 'inline-flex', alignItems: 'center', justifyContent: 'center', width: 28, height: 28 }}
      >
        <span
          style={{
            width: 9,
            height: 9,
            borderRadius: 5,
            background: connection.state === 'live' ? colour : 'transparent',
            border: `2px solid ${colour}`,
          }}
        />
      </span>
    </Tooltip>
  );
}

/** After ten seconds without a connection: how old the data on the page is. */
export function ConnectionBar() {
  const connection = useConnection();
  const now = useNow();
  if (connection.state !== 'reconnecting' || now - connection.since < STALE) return null;
  return (
    <div
      role="status"
      style={{
        display: 'flex',
        gap: 8,
        alignItems: 'center',
        padding: '6px 16px',
        background: 'var(--ground-soft)',
        borderBottom: '1px solid var(--line)',
        fontSize: 13,
      }}
    >
      <WifiOff size={15} aria-hidden color="var(--severity-warning)" />
      Showing data from {clock(new Date(connection.since).toISOString())}. Reconnecting.
    </div>
  );
}
