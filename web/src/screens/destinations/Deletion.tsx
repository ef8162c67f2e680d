import { Button, Group, List, Text, Title } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { DestinationRecord } from '@/api';
import { destinationsRemoveMutation } from '@/api/@tanstack/react-query.gen';
import { refresh } from '@/lib/requests/refresh';
import { Modal } from '@/parts/dialogs';
import { say, sayFault } from '@/parts/toast';
import classes from '@/screens/destinations/Destinations.module.css';

/** Deletes a destination after it said what uses it. */
export function Deletion({ destination, onDone }: { destination: DestinationRecord; onDone: () => void }) {
  const [isOpen, setOpen] = useState(false);
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
      setOpen(false);
      say(`${destination.name} is deleted.`);
      void refresh('destinationsList', 'workspacesReadDefaultRoute', 'rulesList', 'profilesList');
      onDone();
    },
    onError: sayFault,
  });
  return (
    <section className={classes.deletion}>
      <Title order={2} mb={4}>
        Delete this destination
      </Title>
      <Text size="sm" className="soft" mb="xs">
        To stop it for a while, disable it.
      </Text>
      <Button variant="outline" color="red" onClick={() => setOpen(true)}>
        Delete the destination
      </Button>
      <Modal opened={isOpen} onClose={() => setOpen(false)} title={`Delete ${destination.name}`}>
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
        <Group justify="flex-end" mt="md">
          <Button variant="default" onClick={() => setOpen(false)}>
            Cancel
          </Button>
          <Button
            color="red"
            loading={remove.isPending}
            onClick={() => remove.mutate({ path: { destination_id: destination.id } })}
          >
            Delete the destination
          </Button>
        </Group>
      </Modal>
    </section>
  );
}
