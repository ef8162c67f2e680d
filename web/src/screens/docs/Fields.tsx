import { useState } from 'react';
import classes from '@/screens/docs/Docs.module.css';
import { type Document, type Field, fieldsOf, limitsText, typeText, withCode } from '@/screens/docs/openapi';

const DEEPEST = 5;

/** Prose of the document; what stands between backticks is code. */
export function Prose({ text }: { text: string }) {
  return withCode(text).map((part, index) =>
    index % 2 ? (
      <code key={index} className="mono">
        {part}
      </code>
    ) : (
      part
    ),
  );
}

/** Fields with type, limits and description. Nested objects open on demand. */
export function Fields({ document, fields, depth = 0 }: { document: Document; fields: Field[]; depth?: number }) {
  return (
    <div className={classes.fields}>
      {fields.map((field) => (
        <FieldRow key={field.name} document={document} field={field} depth={depth} />
      ))}
    </div>
  );
}

function FieldRow({ document, field, depth }: { document: Document; field: Field; depth: number }) {
  const [isOpen, setOpen] = useState(false);
  const inner = depth < DEEPEST ? fieldsOf(document, field.schema) : [];
  const limits = limitsText(field.schema);
  return (
    <div className={classes.field}>
      <div className={classes.fieldHead}>
        <code>{field.name}</code>
        <span className="soft">{typeText(field.schema)}</span>
        {field.isRequired && <span className={classes.required}>required</span>}
      </div>
      {(field.schema.description || limits) && (
        <div>
          <Prose text={[field.schema.description, limits].filter(Boolean).join(' ')} />
        </div>
      )}
      {inner.length > 0 && (
        <details onToggle={(event) => setOpen(event.currentTarget.open)}>
          <summary className={classes.more}>
            {inner.length} {inner.length === 1 ? 'field' : 'fields'} of {field.name}
          </summary>
          {isOpen && <Fields document={document} fields={inner} depth={depth + 1} />}
        </details>
      )}
    </div>
  );
}
