import { Button, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useLocation } from 'wouter';
import { schedulesCreate, schedulesEdit, schedulesRead, type ScheduleRecord } from '@/api';
import { schedulesReadOptions, schedulesReadQueryKey } from '@/api/@tanstack/react-query.gen';
import { formFaults } from '@/lib/requests/problems';
import { queries } from '@/lib/requests/queries';
import { refresh } from '@/lib/requests/refresh';
import { useWorkspace } from '@/lib/session/workspace';
import { changes, type Retry } from '@/parts/conflict/compare';
import { useOpened } from '@/parts/conflict/useOpened';
import { EditorPage } from '@/parts/editor/EditorPage';
import { SaveButtons } from '@/parts/editor/SaveButtons';
import { FormSummary } from '@/parts/ProblemAlert';
import { RecordState } from '@/parts/RecordState';
import styles from '@/parts/styles.module.css';
import { say } from '@/parts/toast';
import { CalendarFields } from '@/screens/on-call/CalendarFields';
import { ChannelField } from '@/screens/on-call/ChannelField';
import { Deletion } from '@/screens/on-call/Deletion';
import { bodyOf, fieldNames, formOf, missing, newForm, newLayer, type ScheduleForm } from '@/screens/on-call/draft';
import classes from '@/screens/on-call/Editor.module.css';
import { Fields } from '@/screens/on-call/Fields';
import { LayerFields } from '@/screens/on-call/LayerFields';
import { SlackFields } from '@/screens/on-call/SlackFields';
import { Preview } from '@/screens/on-call/Preview';
import { CHANGED } from '@/screens/on-call/useSchedules';

const MOST_LAYERS = 20;

/** A new schedule, or a stored one once it is read. */
export function Editor({ id }: { id: ScheduleRecord['id'] | null }) {
  const { href } = useWorkspace();
  const query = useQuery({ ...schedulesReadOptions({ path: { schedule_id: id ?? 'sch_' } }), enabled: id !== null });
  if (id === null) return <Form schedule={null} />;
  if (query.data) return <Form key={query.data.id} schedule={query.data} />;
  return (
    <RecordState query={query} noun="schedule" back={{ href: href('on-call'), label: 'Back to who is on call' }} />
  );
}

/** The form at the left, the shifts of the next four weeks at the right. */
function Form({ schedule }: { schedule: ScheduleRecord | null }) {
  const { workspace, href, can } = useWorkspace();
  const { opened, form, setForm, take, isChanged, isTouched } = useOpened(schedule, formOf, () =>
    newForm(workspace.timezone),
  );
  const mayEdit = can('admin');
  const save = useSave(opened, form);
  const faults = formFaults(save.error, fieldNames(form));
  const lack = missing(form);
  const back = href(opened ? `on-call/${opened.id}` : 'on-call');
  return (
    <EditorPage<ScheduleRecord>
      back={{ href: back, label: opened ? opened.name : 'On call' }}
      title={opened ? `Edit ${opened.name}` : 'New schedule'}
      about="People take turns in layers, or as a calendar says. Changes apply from now on, and the past stays as it was."
      conflict={
        opened && {
          fault: save.error,
          noun: 'schedule',
          load: async () => (await schedulesRead({ path: { schedule_id: opened.id }, throwOnError: true })).data,
          bodyOf: (stored) => bodyOf(formOf(stored)),
          opened,
          yours: lack ? {} : bodyOf(form),
          isSaving: save.isPending,
          onKeep: (sent, latest) => save.mutate({ sent, rev: latest.rev }),
          onTake: (latest) => {
            take(latest);
            save.reset();
          },
          onClose: save.reset,
        }
      }
      columns={classes.columns}
      onSave={() => save.mutate(null)}
      isUnsaved={isTouched && !save.isPending}
      preview={mayEdit && <Preview form={form} id={opened?.id ?? null} />}
    >
      <FormSummary faults={faults.rest} />
      <fieldset disabled={!mayEdit} className={styles.fields}>
        <Fields form={form} onChange={setForm} faults={faults} />
        <CalendarFields form={form} onChange={setForm} faults={faults} />
        {!form.follows && <Layers form={form} onChange={setForm} faults={faults.fields} />}
        <ChannelField
          value={form.noticeDestinationId ?? null}
          onChange={(noticeDestinationId) => setForm({ ...form, noticeDestinationId })}
          fault={faults.fields.noticeDestinationId}
        />
        <SlackFields form={form} onChange={setForm} faults={faults.fields} stored={opened?.slack ?? null} />
      </fieldset>
      {!mayEdit && (
        <Text size="sm" className="soft">
          You need the Admin role to change schedules.
        </Text>
      )}
      {mayEdit && isChanged && (
        <div className={classes.foot}>
          <SaveButtons
            label={opened ? 'Save' : 'Create the schedule'}
            isSaving={save.isPending}
            lack={lack}
            cancel={back}
          />
        </div>
      )}
      {opened && mayEdit && <Deletion schedule={opened} />}
    </EditorPage>
  );
}

type LayersProps = {
  form: ScheduleForm;
  onChange: (form: ScheduleForm) => void;
  faults: Readonly<Record<string, string>>;
};

/** The layers, and the button for another one. */
function Layers({ form, onChange, faults }: LayersProps) {
  const { layers } = form;
  const put = (next: ScheduleForm['layers']) => onChange({ ...form, layers: next });
  return (
    <>
      {layers.length > 1 && (
        <Text size="sm" className="soft" mb="xs">
          The highest level that has people is on call. Layers of one level are on call together.
        </Text>
      )}
      {layers.map((layer, index) => (
        <LayerFields
          key={layer.id ?? index}
          layer={layer}
          number={index + 1}
          timezone={form.timezone}
          faultOf={(name) => faults[`layers.${index}.${name}`]}
          onChange={(next) => put(layers.map((each, at) => (at === index ? next : each)))}
          onRemove={layers.length > 1 ? () => put(layers.filter((_, at) => at !== index)) : undefined}
        />
      ))}
      {layers.length < MOST_LAYERS && (
        <Button
          variant="default"
          leftSection={<Plus size={15} aria-hidden />}
          mih="var(--target)"
          onClick={() => put([...layers, newLayer(form.timezone, Math.min(layers.length + 1, MOST_LAYERS))])}
        >
          Add a layer
        </Button>
      )}
    </>
  );
}

/** Creates the schedule, or changes it under the revision that was opened. */
function useSave(opened: ScheduleRecord | null, form: ScheduleForm) {
  const { workspace, href } = useWorkspace();
  const [, navigate] = useLocation();
  return useMutation({
    mutationFn: async (retry: Retry | null) => {
      const body = bodyOf(form);
      if (!opened)
        return (await schedulesCreate({ body: { ...body, workspaceId: workspace.id }, throwOnError: true })).data;
      const sent = retry?.sent ?? changes({ ...bodyOf(formOf(opened)) }, { ...body });
      return (
        await schedulesEdit({
          path: { schedule_id: opened.id },
          body: sent,
          headers: { 'If-Match': `"${retry?.rev ?? opened.rev}"` },
          throwOnError: true,
        })
      ).data;
    },
    onSuccess: (saved) => {
      say(opened ? 'Schedule saved' : 'Schedule created');
      queries.setQueryData(schedulesReadQueryKey({ path: { schedule_id: saved.id } }), saved);
      void refresh(...CHANGED);
      navigate(href(`on-call/${saved.id}`));
    },
  });
}
