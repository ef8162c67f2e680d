import { ActionIcon, Avatar, Text } from '@mantine/core';
import { BookOpen, Keyboard, LogOut, Scale, UserRound } from 'lucide-react';
import { useLocation } from 'wouter';
import { below } from '@/lib/navigation/base';
import { useTheme } from '@/lib/preferences/useTheme';
import { signOut } from '@/lib/session/auth';
import { auth } from '@/lib/session/identity';
import { useSession } from '@/lib/session/workspace';
import { initials } from '@/parts/initials';
import { useLegalLinks } from '@/parts/LegalLinks';
import { PressMenu } from '@/parts/menu/PressMenu';
import { sayFault } from '@/parts/toast';
import classes from '@/app/shell/Shell.module.css';

const THEMES = [
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
  { value: 'auto', label: 'System' },
];

/** The signed-in person, the theme, the keys, the legal links, and signing out. */
export function AccountMenu({ onHelp }: { onHelp: () => void }) {
  const { me } = useSession();
  const [theme, setTheme] = useTheme();
  const [, navigate] = useLocation();
  const legalLinks = useLegalLinks();
  const leave = () => void signOut().catch(sayFault);
  return (
    <PressMenu
      position="bottom-end"
      width={250}
      closeOnItemClick
      button={
        <ActionIcon aria-label={`${initials(me.name)}, account of ${me.name}`} size="var(--target)">
          <Avatar size={28} radius="xl" color="blue" variant="filled">
            {initials(me.name)}
          </Avatar>
        </ActionIcon>
      }
    >
      {(Menu) => (
        <>
          <div className={classes.person}>
            <Text fw={600} size="sm" className="clip">
              {me.name}
            </Text>
            <Text size="xs" className="soft clip">
              {me.email}
            </Text>
          </div>
          <Menu.Divider />
          <Menu.RadioGroup value={theme} onChange={setTheme}>
            {THEMES.map((each) => (
              <Menu.RadioItem
                key={each.value}
                value={each.value}
                aria-label={`Theme: ${each.label}`}
                mih="var(--target)"
              >
                {each.label}
              </Menu.RadioItem>
            ))}
          </Menu.RadioGroup>
          <Menu.Divider />
          <Menu.Item leftSection={<UserRound size={16} aria-hidden />} onClick={() => navigate('/account')}>
            Account
          </Menu.Item>
          <Menu.Item leftSection={<Keyboard size={16} aria-hidden />} onClick={onHelp}>
            Keyboard shortcuts
          </Menu.Item>
          <Menu.Item
            component="a"
            href={below('/docs/users/first-steps')}
            target="_blank"
            hiddenFrom="sm"
            leftSection={<BookOpen size={16} aria-hidden />}
          >
            Guide
          </Menu.Item>
          {legalLinks.map((each) => (
            <Menu.Item
              key={each.name}
              component="a"
              href={each.url}
              target="_blank"
              rel="noreferrer"
              leftSection={<Scale size={16} aria-hidden />}
            >
              {each.name}
            </Menu.Item>
          ))}
          <Menu.Item leftSection={<LogOut size={16} aria-hidden />} onClick={leave}>
            {auth().kind === 'device' ? 'Unpair this phone' : 'Sign out'}
          </Menu.Item>
        </>
      )}
    </PressMenu>
  );
}
