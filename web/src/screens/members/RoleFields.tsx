import { Radio, Stack } from '@mantine/core';
import { ROLE_ABOUT, ROLES, ROLE_WORD, type Role } from '@/screens/members/roles';

/** The four roles, each with what it may do. */
export function RoleFields({ value, onChange }: { value: Role; onChange: (role: Role) => void }) {
  return (
    <Radio.Group label="Role" value={value} onChange={(next) => onChange(next)}>
      <Stack gap="sm" mt="xs">
        {ROLES.map((role) => (
          <Radio key={role} value={role} label={ROLE_WORD[role]} description={ROLE_ABOUT[role]} />
        ))}
      </Stack>
    </Radio.Group>
  );
}
