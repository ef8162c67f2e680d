import { List, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { DestinationRecord } from '@/api';
import { destinationsRemoveMutation } from '@/api/@tanstack/react-query.gen';
import { refresh } from '@/lib/requests/refresh';
import { DeleteButton } from '@/parts/editor/DeleteButton';
import { DeleteSection } from '@/parts/editor/DeleteSection';
import { say, sayFault } from '@/parts/toast';

/** Deletes a destination after it said what uses it. */
export function Deletion({ destination, onDone }: { destination: DestinationRecord; onDone: () => void }) {
  const { defaultRoute, rules, rulesTotal, routingProfiles, routingProfilesTotal } = destination.usedBy;
  const uses = [
    ...(defaultRoute ? ['The default route'] : []),
    ...rules.map((each) => `Rule: ${each.name}`),
    ...routingProfiles.map((each) => `Profile: ${each.name}`),
  ];
  const more = rulesTotal - rules.length + routingProfilesTotal - routingProfiles.length;
  const remove = useMutation({
    ...destinationsRemoveMutation(),
    onSuccess: () => {
      say(`${destination.name} is deleted.`);
      void refresh('destinationsList', 'workspacesReadDefaultRoute', 'rulesList', 'profilesList');
      onDone();
    },
    onError: sayFault,
  });
  return (
    <DeleteSection noun="destination" about="To stop it for a while, disable it.">
      <DeleteButton
        noun="destination"
        name={destination.name}
        isDeleting={remove.isPending}
        onDelete={() => remove.mutate({ path: { destination_id: destination.id } })}
      >
        {uses.length === 0 ? (
          <Text>Nothing uses it.</Text>
        ) : (
          <>
            <Text mb={4}>It is removed from everything that uses it:</Text>
            <List size="sm">
              {uses.map((each) => (
                <List.Item key={each}>{each}</List.Item>
              ))}
              {more > 0 && <List.Item>{more} more</List.Item>}
            </List>
          </>
        )}
        <Text size="sm" className="soft" mt="xs">
          Pending deliveries are skipped. Past deliveries remain listed.
        </Text>
      </DeleteButton>
    </DeleteSection>
  );
}
