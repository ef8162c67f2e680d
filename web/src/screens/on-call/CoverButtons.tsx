import { Button } from '@mantine/core';
import type { ScheduleRecord } from '@/api';
import { useSession, useWorkspace } from '@/lib/session/workspace';
import { useNow } from '@/lib/time/time';
import { PressMenu } from '@/parts/menu/PressMenu';
import { sayFault } from '@/parts/toast';
import { canCover, isOpen } from '@/screens/on-call/cover';
import classes from '@/screens/on-call/OnCall.module.css';
import type { ShownPerson, ShownShift } from '@/screens/on-call/past';
import { useCover } from '@/screens/on-call/useCover';
import { peopleText, periodText } from '@/screens/on-call/words';

type Props = { scheduleId: ScheduleRecord['id']; shift: ShownShift; onChange: (shift: ShownShift) => void };

/** "Cover" takes the shift at once. "Change" opens the form for another person, or for a part of it. */
export function CoverButtons({ scheduleId, shift, onChange }: Props) {
  const { me } = useSession();
  const { can } = useWorkspace();
  const now = useNow();
  const cover = useCoverAct(scheduleId);
  if (!can('member')) return null;
  const about = `${peopleText(shift.people)}, ${periodText(shift)}`;
  const button = (onClick?: () => void) => (
    <Button
      size="compact-sm"
      variant="light"
      mih="var(--target)"
      aria-label={`Cover ${about}`}
      loading={cover.isPending}
      onClick={onClick}
    >
      Cover
    </Button>
  );
  return (
    <span className={classes.acts}>
      {canCover(shift, me.id, now) &&
        (shift.people.length > 1 ? (
          <PressMenu position="bottom-end" button={button()}>
            {(menu) =>
              shift.people.map((person) => (
                <menu.Item key={person.userId} mih="var(--target)" onClick={() => cover.run(shift, person)}>
                  Instead of {person.name}
                </menu.Item>
              ))
            }
          </PressMenu>
        ) : (
          button(() => cover.run(shift))
        ))}
      {isOpen(shift, now) && (
        <Button
          size="compact-sm"
          variant="default"
          mih="var(--target)"
          aria-label={`Change ${about}`}
          onClick={() => onChange(shift)}
        >
          Change
        </Button>
      )}
    </span>
  );
}

/** Takes a shift: of everybody, or the place of one of several people. */
export function useCoverAct(scheduleId: ScheduleRecord['id']) {
  const { me } = useSession();
  const cover = useCover(scheduleId);
  const run = (shift: ShownShift, person: ShownPerson | null = null) => {
    const { startsAt, endsAt } = shift;
    cover.mutate(
      {
        body: { startsAt, endsAt, userIds: [me.id], insteadOf: person?.userId ?? null },
        said: `You are on call from ${periodText(shift)}`,
      },
      { onError: sayFault },
    );
  };
  return { run, isPending: cover.isPending };
}
