import { Tabs } from '@mantine/core';
import type { ComponentType } from 'react';
import { useSearchParams } from 'wouter';
import { useCurrentInView } from '@/lib/keyboard/useCurrentInView';

type Props<Content extends object> = {
  /** The first one is open without a name in the address. */
  tabs: readonly { name: string; label: string; content: ComponentType<Content> }[];
  /** What each tab gets. */
  content: Content;
};

/** The parts of a record as tabs. The open one is in the address. */
export function DetailTabs<Content extends object>({ tabs, content }: Props<Content>) {
  const [params, setParams] = useSearchParams();
  const list = useCurrentInView(params.get('tab') ?? '');
  const first = tabs[0]!;
  const tab = tabs.find((each) => each.name === params.get('tab')) ?? first;
  return (
    <Tabs
      value={tab.name}
      onChange={(name) => setParams(name && name !== first.name ? { tab: name } : {}, { replace: true })}
      keepMounted={false}
    >
      <Tabs.List ref={list} px="md">
        {tabs.map((each) => (
          <Tabs.Tab key={each.name} value={each.name} mih="var(--target)">
            {each.label}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {tabs.map((each) => (
        <Tabs.Panel key={each.name} value={each.name}>
          <each.content {...content} />
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
