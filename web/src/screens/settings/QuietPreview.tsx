import { Anchor, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { workspacesPreviewQuietHours, type DestinationRecord, type QuietHours } from '@/api';
import { destinationsListOptions } from '@/api/@tanstack/react-query.gen';
import { useWorkspace } from '@/lib/session/workspace';
import { localText } from '@/lib/time/localText';
import { clock } from '@/lib/time/time';
import { SEVERITY_WORD } from '@/lib/words/words';
import classes from '@/screens/settings/QuietHours.module.css';
import { barsOf, DAYS, sentenceOf } from '@/screens/settings/quietWeek';

const MAX_WINDOWS = 3;
type Props = { quietHours: QuietHours; timezone: string };

/** A preview of the form's quiet hours: the week as a picture, the state now, and the waiting notices. */
export function QuietPreview({ quietHours, timezone }: Props) {
  const windows = quietHours.windows ?? [];
  const zone = quietHours.timezone ?? timezone;
  return (
    <div>
      <Week windows={windows} zone={zone} />
      <Next quietHours={quietHours} timezone={timezone} />
      <Waiting />
    </div>
  );
}

function Week({ windows, zone }: { windows: NonNullable<QuietHours['windows']>; zone: string }) {
  const bars = barsOf(windows);
  const text = sentenceOf(windows);
  if (!text) return null;
  return (
    <>
      <Text size="sm" mb={8}>
        {text}, in the time zone {zone}.
      </Text>
      <div className={classes.week} role="img" aria-label={`The week: quiet ${text}`}>
        {DAYS.map(({ day, word }) => (
          <div key={day} className={classes.day}>
            <span>{word}</span>
            <div className={classes.lane}>
              {bars[day].map((bar) => (
                <b key={`${bar.left} ${bar.width}`} style={{ left: `${bar.left}%`, width: `${bar.width}%` }} />
              ))}
            </div>
          </div>
        ))}
        <div className={classes.day}>
          <span />
          <div className={classes.hours}>
            {[0, 6, 12, 18, 24].map((hour) => (
              <span key={hour}>{hour}:00</span>
            ))}
          </div>
        </div>
      </div>
    </>
  );
}

/** The state now and the next times, as the service computes them for the form. */
function Next({ quietHours, timezone }: Props) {
  const { workspace } = useWorkspace();
  const [settled] = useDebouncedValue(JSON.stringify({ quietHours, timezone }), 500);
  const query = useQuery({
    queryKey: ['quietHoursPreview', workspace.id, settled],
    queryFn: async ({ signal }) => {
      const body = JSON.parse(settled) as Props;
      const path = { workspace_id: workspace.id };
      return (await workspacesPreviewQuietHours({ path, body, throwOnError: true, signal })).data;
    },
    staleTime: 60_000,
    retry: false,
    placeholderData: keepPreviousData,
  });
  if (!query.data || query.error) return null;
  const { text, upcoming } = query.data;
  return (
    <Text size="sm" className="soft" role="status" mt="xs">
      {localText(text)}
      {upcoming.length > 0 &&
        ` Next: ${upcoming
          .slice(0, MAX_WINDOWS)
          .map(({ start, end }) => `${clock(start)} to ${clock(end)}`)
          .join(', ')}.`}
    </Text>
  );
}

/** For each destination what waits, and what passes. */
function Waiting() {
  const { workspace, href } = useWorkspace();
  const query = useQuery(destinationsListOptions({ query: { workspaceId: workspace.id, limit: 200 } }));
  const destinations = query.data?.items ?? [];
  if (destinations.length === 0) return null;
  return (
    <ul className={classes.waiting} aria-label="Delayed notifications">
      {destinations.map((each) => (
        <li key={each.id}>
          <Anchor component={Link} href={href(`destinations?edit=${each.id}`)} size="sm" underline="always">
            {each.name}
          </Anchor>{' '}
          <span className="soft">{waitText(each)}</span>
        </li>
      ))}
    </ul>
  );
}

function waitText({ quietHoursThreshold }: DestinationRecord): string {
  if (quietHoursThreshold === null) return 'gets everything immediately.';
  const word = SEVERITY_WORD[quietHoursThreshold].toLowerCase();
  return quietHoursThreshold === 'CRITICAL'
    ? 'gets critical notifications immediately. The others wait.'
    : `gets ${word} and above immediately. The others wait.`;
}
