import { useSearchParams } from 'wouter';
import { dayOf, isDay, later, rangeOf, type View, VIEWS } from '@/screens/on-call/range';

const FIRST: View = 'two-weeks';

/** The period that is shown: its view and its first day stand in the address. Without a day it begins today. */
export function useRange() {
  const [params, setParams] = useSearchParams();
  const view = VIEWS.find((each) => each.value === params.get('view'))?.value ?? FIRST;
  const today = dayOf(Date.now());
  const asked = params.get('from') ?? '';
  const day = isDay(asked) ? asked : today;
  const range = rangeOf(view, day);
  const put = (nextView: View, nextDay: string) =>
    setParams(
      {
        ...(nextView === FIRST ? {} : { view: nextView }),
        ...(nextDay === today ? {} : { from: nextDay }),
      },
      { replace: true },
    );
  return {
    view,
    range,
    setView: (next: View) => put(next, day),
    /** By whole periods, into the past for a negative number. */
    move: (by: number) => put(view, later(day, by * range.days)),
    today: () => put(view, today),
  };
}
