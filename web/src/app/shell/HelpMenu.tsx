import { ActionIcon, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { BookOpen, CircleQuestionMark, Code, Keyboard } from 'lucide-react';
import { useLocation } from 'wouter';
import { infoReadOptions } from '@/api/@tanstack/react-query.gen';
import { below } from '@/lib/navigation/base';
import { PressMenu } from '@/parts/menu/PressMenu';

/** The guide, the keys, the API reference and the version. */
export function HelpMenu({ onHelp }: { onHelp: () => void }) {
  const [, navigate] = useLocation();
  const info = useQuery(infoReadOptions());
  return (
    <PressMenu
      position="bottom-end"
      width={220}
      closeOnItemClick
      button={
        <ActionIcon aria-label="Help" size="var(--target)">
          <CircleQuestionMark size={18} aria-hidden />
        </ActionIcon>
      }
    >
      {(Menu) => (
        <>
          <Menu.Item
            component="a"
            href={below('/docs/users/first-steps')}
            target="_blank"
            leftSection={<BookOpen size={16} aria-hidden />}
          >
            Guide
          </Menu.Item>
          <Menu.Item leftSection={<Keyboard size={16} aria-hidden />} onClick={onHelp}>
            Keyboard shortcuts
          </Menu.Item>
          <Menu.Item leftSection={<Code size={16} aria-hidden />} onClick={() => navigate('/docs')}>
            API reference
          </Menu.Item>
          {info.data && (
            <>
              <Menu.Divider />
              <Text size="xs" className="soft" px={12} py={4}>
                Version {info.data.version}
              </Text>
            </>
          )}
        </>
      )}
    </PressMenu>
  );
}
