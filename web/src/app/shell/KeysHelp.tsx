import { Group, Kbd, SimpleGrid, Switch, Text } from '@mantine/core';
import { useKeyGroups } from '@/lib/keyboard/keys';
import { setPreferences, usePreferences } from '@/lib/preferences/preferences';
import { Modal } from '@/parts/dialogs';
import styles from '@/parts/styles.module.css';

/** The effect of each key on this screen, and the switch for keys of one letter. */
export default function KeysHelp({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const groups = useKeyGroups();
  const { shortcuts } = usePreferences();
  return (
    <Modal opened={opened} onClose={onClose} title="Keyboard shortcuts" size="lg">
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="lg">
        {groups.map((group) => (
          <section key={group.title}>
            <Text fw={600} size="sm" mb={4}>
              {group.title}
            </Text>
            {group.acts.map((act) => (
              <Group key={act.keys} justify="space-between" py={2} wrap="nowrap">
                <Text size="sm">{act.label}</Text>
                <span className={styles.oneLine}>
                  {act.keys.split(' ').map((key) => (
                    <Kbd key={key} size="xs" ml={4}>
                      {key}
                    </Kbd>
                  ))}
                </span>
              </Group>
            ))}
          </section>
        ))}
      </SimpleGrid>
      <Switch
        mt="lg"
        label="Single-key shortcuts"
        description="When off, only Esc and Ctrl K work."
        checked={shortcuts}
        onChange={(event) => setPreferences({ shortcuts: event.currentTarget.checked })}
      />
    </Modal>
  );
}
