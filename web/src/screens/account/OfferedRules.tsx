import { Button, Group, List, Paper, Text } from '@mantine/core';
import type { ContactMethodRecord } from '@/api';
import { type Method, type RuleForm, type RulesForm, usable } from '@/screens/account/ruleLists';

type Props = {
  offered: RulesForm;
  methods: readonly Method[];
  contacts: readonly ContactMethodRecord[];
  onUse: (form: RulesForm) => void;
  onDismiss: () => void;
};

/** Rules of another tool that an import offers. Those of an address that is not confirmed can be used after its code. */
export function OfferedRules({ offered, methods, contacts, onUse, onDismiss }: Props) {
  const label = ({ method }: RuleForm) =>
    methods.find((each) => each.value === method)?.label ??
    `${contacts.find((each) => each.id === method)?.address ?? 'A removed contact method'}, not confirmed`;
  const line = (rule: RuleForm) =>
    `${rule.afterMinutes === 0 ? 'At once' : `After ${rule.afterMinutes} min`}: ${label(rule)}`;
  const lines = [...offered.default.map(line), ...offered.critical.map((rule) => `${line(rule)}, when critical`)];
  const form = usable(methods, offered);
  return (
    <Paper withBorder p="sm" role="group" aria-label="Imported rules">
      <Text size="sm" fw={600}>
        An import offers the rules of your former tool
      </Text>
      <List size="sm" my={6}>
        {lines.map((each) => (
          <List.Item key={each}>{each}</List.Item>
        ))}
      </List>
      <Group gap="xs">
        <Button
          mih="var(--target)"
          disabled={form.default.length + form.critical.length === 0}
          onClick={() => onUse(form)}
        >
          Use these rules
        </Button>
        <Button variant="default" mih="var(--target)" onClick={onDismiss}>
          Dismiss
        </Button>
      </Group>
    </Paper>
  );
}
