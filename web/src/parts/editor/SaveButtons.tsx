import { Button, Text } from '@mantine/core';
import { Link } from 'wouter';

type Props = {
  label: string;
  isSaving: boolean;
  /** What the form lacks, in a sentence; empty when it can be saved. */
  lack: string;
  /** Where the person goes without saving. */
  cancel: string;
};

/** Save, cancel, and what the form lacks. */
export function SaveButtons({ label, isSaving, lack, cancel }: Props) {
  return (
    <>
      <Button type="submit" loading={isSaving} disabled={lack !== ''} mih="var(--target)">
        {label}
      </Button>
      <Button variant="default" component={Link} href={cancel} mih="var(--target)">
        Cancel
      </Button>
      {lack && (
        <Text size="sm" className="soft">
          {lack}
        </Text>
      )}
    </>
  );
}
