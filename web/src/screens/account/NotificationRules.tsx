import { ActionIcon, Button, Group, NumberInput, Select, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Plus, X } from 'lucide-react';
import { useState } from 'react';
import { meReplaceNotificationRules, type ContactMethodRecord, type NotificationRulesRecord } from '@/api';
import { formFaults } from '@/lib/requests/problems';
import { refresh } from '@/lib/requests/refresh';
import { DraftButtons } from '@/parts/editor/DraftButtons';
import { FormSummary } from '@/parts/ProblemAlert';
import styles from '@/parts/styles.module.css';
import { say } from '@/parts/toast';
import { OfferedRules } from '@/screens/account/OfferedRules';
import {
  formOf,
  freeMethods,
  type Method,
  methodsOf,
  MOST_MINUTES,
  MOST_RULES,
  type RuleForm,
  type RulesForm,
  withRule,
} from '@/screens/account/ruleLists';

type Props = { stored: NotificationRulesRecord; email: string; contacts: readonly ContactMethodRecord[] };

/** How a page reaches the person: after how long by which method, and otherwise for critical incidents. */
export function NotificationRules({ stored, email, contacts }: Props) {
  const [draft, setDraft] = useState<RulesForm | null>(null);
  const form = draft ?? formOf(stored);
  const methods = methodsOf(email, contacts);
  const save = useMutation({
    mutationFn: () =>
      meReplaceNotificationRules({
        body: form,
        headers: { 'If-Match': `"${stored.rev}"` },
        throwOnError: true,
      }),
    onSuccess: () => {
      setDraft(null);
      say('Notification rules saved');
    },
    onSettled: () => void refresh('meReadNotificationRules'),
  });
  const faults = formFaults(save.error, []);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate();
      }}
    >
      <Stack gap="sm">
        <FormSummary faults={faults.rest} />
        {stored.offered && !draft && (
          <OfferedRules
            offered={formOf(stored.offered)}
            methods={methods}
            contacts={contacts}
            onUse={setDraft}
            onDismiss={() => save.mutate()}
          />
        )}
        <Rules
          title="When I am paged"
          empty="Without a rule you get push and mail at once."
          methods={methods}
          rules={form.default}
          onChange={(rules) => setDraft({ ...form, default: rules })}
        />
        <Rules
          title="When the incident is critical"
          empty="The same as for other incidents."
          methods={methods}
          rules={form.critical}
          onChange={(rules) => setDraft({ ...form, critical: rules })}
        />
        {draft && (
          <DraftButtons
            label="Save the rules"
            isSaving={save.isPending}
            onDiscard={() => {
              setDraft(null);
              save.reset();
            }}
          />
        )}
      </Stack>
    </form>
  );
}

type RulesProps = {
  title: string;
  empty: string;
  methods: readonly Method[];
  rules: readonly RuleForm[];
  onChange: (rules: RuleForm[]) => void;
};

function Rules({ title, empty, methods, rules, onChange }: RulesProps) {
  const isFull = rules.length >= MOST_RULES || freeMethods(methods, rules).length === 0;
  return (
    <fieldset className={styles.fields}>
      <Text component="legend" size="sm" fw={600} mb={4}>
        {title}
      </Text>
      <Stack gap={6}>
        {rules.length === 0 && (
          <Text size="sm" className="soft">
            {empty}
          </Text>
        )}
        {rules.map((rule, index) => (
          <Group key={index} gap={6} wrap="nowrap" role="group" aria-label={`Rule ${index + 1}`}>
            <NumberInput
              aria-label="Minutes"
              prefix="after "
              suffix=" min"
              w={120}
              min={0}
              max={MOST_MINUTES}
              allowDecimal={false}
              value={rule.afterMinutes}
              onChange={(value) =>
                onChange(rules.map((each, at) => (at === index ? { ...each, afterMinutes: Number(value) || 0 } : each)))
              }
            />
            <Select
              aria-label="Method"
              flex={1}
              miw={0}
              allowDeselect={false}
              data={methods.filter(
                (each) => each.value === rule.method || !rules.some((other) => other.method === each.value),
              )}
              value={rule.method}
              onChange={(method) =>
                method && onChange(rules.map((each, at) => (at === index ? { ...each, method } : each)))
              }
            />
            <ActionIcon
              aria-label={`Remove rule ${index + 1}`}
              onClick={() => onChange(rules.filter((_, at) => at !== index))}
            >
              <X size={16} aria-hidden />
            </ActionIcon>
          </Group>
        ))}
        {!isFull && (
          <Button
            variant="default"
            className={styles.start}
            leftSection={<Plus size={15} aria-hidden />}
            mih="var(--target)"
            onClick={() => onChange(withRule(methods, rules))}
          >
            Add a rule
          </Button>
        )}
      </Stack>
    </fieldset>
  );
}
