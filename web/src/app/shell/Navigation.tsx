import { Badge, NavLink, Text } from '@mantine/core';
import { Link } from 'wouter';
import type { Screen } from '@/lib/navigation/screen';
import { useOptionalWorkspace, useSession } from '@/lib/session/workspace';
import { SCREENS } from '@/app/screens';
import { useUnresolvedCount } from '@/app/shell/counts';
import classes from '@/app/shell/Shell.module.css';

const TITLES: Partial<Record<Screen['group'], string>> = {
  configure: 'Configure',
  insight: 'Insight',
  workspace: 'Workspace',
  own: 'You',
};
const GROUPS: readonly Screen['group'][] = ['work', 'configure', 'insight', 'workspace', 'own'];

/** Every screen, in groups. */
export function Navigation({ active }: { active: string }) {
  const { me } = useSession();
  const workspace = useOptionalWorkspace();
  const counts = useUnresolvedCount(workspace?.id);
  const shown = SCREENS.filter(
    (screen) => (!screen.instanceAdmin || me.isInstanceAdmin) && (screen.group === 'own' || workspace),
  );
  const current = active === 'incidents' ? 'inbox' : active;
  return (
    <div className={classes.scrolled}>
      <nav aria-label="Screens" className={classes.navigation}>
        {GROUPS.filter((group) => shown.some((screen) => screen.group === group)).map((group) => (
          <div
            key={group}
            className={classes.navigationGroup}
            role="group"
            aria-labelledby={TITLES[group] && `screens-${group}`}
          >
            {TITLES[group] && (
              <Text id={`screens-${group}`} size="xs" fw={600} className="soft" px={10} pb={2}>
                {TITLES[group]}
              </Text>
            )}
            {shown
              .filter((screen) => screen.group === group)
              .map((screen) => (
                <NavLink
                  key={screen.name}
                  component={Link}
                  href={screen.group === 'own' ? `/${screen.name}` : `/w/${workspace?.slug}/${screen.name}`}
                  label={screen.label}
                  active={current === screen.name}
                  aria-current={current === screen.name ? 'page' : undefined}
                  leftSection={<screen.icon size={17} aria-hidden />}
                  mih="var(--target)"
                  py={4}
                  px={10}
                  bdrs={6}
                  bg={current === screen.name ? 'var(--selected)' : undefined}
                  color="gray"
                  variant="light"
                  rightSection={
                    screen.name === 'inbox' && counts && counts.byState.open > 0 ? (
                      <Badge size="sm" variant="default" aria-label={`${counts.byState.open} open`}>
                        {counts.byState.open}
                      </Badge>
                    ) : undefined
                  }
                />
              ))}
          </div>
        ))}
      </nav>
    </div>
  );
}
