import { Button, Text } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'wouter';
import { giveUp } from '@/lib/navigation/leaveGuard';

type Props = {
  label: string;
  isSaving: boolean;
  /** What the form lacks, in a sentence; empty when it can be saved. */
  lack?: string;
  /** Whether there is nothing to save. */
  isIdle?: boolean;
  /** Where the person goes without saving, or what then happens. */
  cancel: string | (() => void);
  cancelLabel?: string;
  /** What follows from saving. */
  note?: string;
};

/** Save, cancel, and what the form lacks. Pressing Save before says it aloud. */
export function SaveButtons(props: Props) {
  const [isPressed, setPressed] = useState(false);
  const { label, isSaving, lack = '', isIdle = false, cancel, cancelLabel = 'Cancel', note = '' } = props;
  return (
    <>
      <Button
        type="submit"
        loading={isSaving}
        disabled={isIdle}
        mih="var(--target)"
        onClick={(event) => {
          if (lack === '') return;
          event.preventDefault();
          setPressed(true);
        }}
      >
        {label}
      </Button>
      {typeof cancel === 'string' ? (
        <Button variant="default" component={Link} href={cancel} mih="var(--target)" onClick={giveUp}>
          {cancelLabel}
        </Button>
      ) : (
        <Button variant="default" onClick={cancel} mih="var(--target)">
          {cancelLabel}
        </Button>
      )}
      {lack && isPressed ? (
        <Text size="sm" c="var(--severity-critical)" role="alert">
          {lack}
        </Text>
      ) : (
        (lack || note) && (
          <Text size="sm" className="soft">
            {lack || note}
          </Text>
        )
      )}
    </>
  );
}
