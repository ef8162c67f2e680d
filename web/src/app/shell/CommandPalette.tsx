import { TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { Search } from 'lucide-react';
import { type KeyboardEvent, useState } from 'react';
import { Modal } from '@/parts/dialogs';
import { showPalette } from '@/app/shell/palette';
import classes from '@/app/shell/Palette.module.css';
import { type Hit, useCommands } from '@/app/shell/useCommands';
import { useFound } from '@/app/shell/useFound';

const PAUSE = 150;
const OPTION = 'palette-option-';

/** Incidents, records, screens and commands by what they are called. Escape closes it alone, and not the dialog below it. */
export default function CommandPalette({ opened, onHelp }: { opened: boolean; onHelp: () => void }) {
  return (
    <Modal
      opened={opened}
      onClose={() => showPalette(false)}
      withCloseButton={false}
      centered={false}
      yOffset="8vh"
      size="lg"
      padding={0}
      attributes={{ content: { 'aria-label': 'Search or jump to' } }}
    >
      <Finder onHelp={onHelp} />
    </Modal>
  );
}

function Finder({ onHelp }: { onHelp: () => void }) {
  const [text, setText] = useState('');
  const [asked] = useDebouncedValue(text.trim(), PAUSE);
  const [marked, setMarked] = useState(0);
  const commands = useCommands(text.trim(), onHelp);
  const { incidents, records, isReading } = useFound(text.trim() === '' ? '' : asked);
  const groups = [
    { title: 'Incidents', hits: incidents },
    { title: 'Records', hits: records },
    { title: 'Screens and commands', hits: commands },
  ].filter((group) => group.hits.length > 0);
  const hits = groups.flatMap((group) => group.hits);
  const at = Math.min(marked, hits.length - 1);
  const run = (hit: Hit) => {
    showPalette(false);
    hit.run();
  };
  const onKey = (event: KeyboardEvent) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by !== undefined && hits.length > 0) {
      const next = (at + by + hits.length) % hits.length;
      setMarked(next);
      document.getElementById(OPTION + next)?.scrollIntoView({ block: 'nearest' });
    } else if (event.key === 'Enter' && hits[at] && !event.nativeEvent.isComposing) run(hits[at]);
    else return;
    event.preventDefault();
  };
  return (
    <>
      <TextInput
        role="combobox"
        aria-expanded
        aria-controls="palette"
        aria-activedescendant={hits.length > 0 ? OPTION + at : undefined}
        aria-label="Search incidents, records, screens and commands"
        placeholder="Search or jump to…"
        size="md"
        variant="unstyled"
        leftSection={<Search size={18} aria-hidden />}
        data-autofocus
        value={text}
        maxLength={200}
        onChange={(event) => {
          setText(event.currentTarget.value);
          setMarked(0);
        }}
        onKeyDown={onKey}
      />
      <div id="palette" role="listbox" aria-label="Results" className={classes.results}>
        {groups.map((group) => (
          <div key={group.title} role="group" aria-label={group.title}>
            <div className={classes.title} aria-hidden>
              {group.title}
            </div>
            {group.hits.map((hit) => {
              const place = hits.indexOf(hit);
              return (
                <Option
                  key={hit.id}
                  hit={hit}
                  place={place}
                  isMarked={place === at}
                  onRun={() => run(hit)}
                  onPoint={setMarked}
                />
              );
            })}
          </div>
        ))}
        {hits.length === 0 && (
          <p className={classes.nothing}>{isReading ? 'Searching…' : `Nothing is called “${text.trim()}”.`}</p>
        )}
      </div>
    </>
  );
}

type OptionProps = { hit: Hit; place: number; isMarked: boolean; onRun: () => void; onPoint: (place: number) => void };

function Option({ hit, place, isMarked, onRun, onPoint }: OptionProps) {
  return (
    <div
      id={OPTION + place}
      role="option"
      aria-selected={isMarked}
      className={classes.option}
      onClick={onRun}
      onPointerMove={() => onPoint(place)}
    >
      <span className={classes.icon}>{hit.icon}</span>
      <span className={classes.words}>
        <span className="clip">{hit.label}</span>
        {hit.about && <span className={`soft clip ${classes.about}`}>{hit.about}</span>}
      </span>
      {hit.keys && <kbd className={classes.keys}>{hit.keys}</kbd>}
    </div>
  );
}
