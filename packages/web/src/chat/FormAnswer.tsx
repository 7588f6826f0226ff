import type { JsonObject, JsonValue } from '@plugboard/protocol';
import { type FormEvent, type ReactNode, useId, useMemo, useState } from 'react';
import { type FieldValue, type FormField, findUnfilled, formData, readFields } from '../state/form.ts';
import { markInvisible } from '../text/visible.ts';

interface FormAnswerProps {
  /** JSON Schema of the answer. */
  readonly schema: JsonObject;
  readonly sending: boolean;
  onAnswer(data: JsonValue): void;
}

/** A form with a field for each property of a flat schema. Any other schema is answered as JSON. */
export function FormAnswer({ schema, sending, onAnswer }: FormAnswerProps): ReactNode {
  const fields = useMemo(() => readFields(schema), [schema]);
  return fields === undefined ? (
    <JsonAnswer sending={sending} onAnswer={onAnswer} />
  ) : (
    <Fields fields={fields} sending={sending} onAnswer={onAnswer} />
  );
}

function Fields({
  fields,
  sending,
  onAnswer,
}: Omit<FormAnswerProps, 'schema'> & { readonly fields: readonly FormField[] }): ReactNode {
  const [values, setValues] = useState<Record<string, FieldValue>>({});
  const missing = findUnfilled(fields, values);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (missing === undefined) onAnswer(formData(fields, values));
  };
  return (
    <form className="ask-form" onSubmit={submit}>
      {fields.map((field) => (
        <Field
          key={field.name}
          field={field}
          value={values[field.name] ?? field.initial}
          onChange={(value) => setValues((now) => ({ ...now, [field.name]: value }))}
        />
      ))}
      <button type="submit" className="button primary" disabled={sending || missing !== undefined}>
        Answer
      </button>
    </form>
  );
}

interface FieldProps {
  readonly field: FormField;
  readonly value: FieldValue;
  onChange(value: FieldValue): void;
}

function Field({ field, value, onChange }: FieldProps): ReactNode {
  const id = useId();
  const { label, about, required } = field;
  return (
    <div className="ask-field">
      <label htmlFor={id}>
        {markInvisible(label)}
        {required ? '' : ' (optional)'}
      </label>
      {about === '' ? null : <span className="muted">{markInvisible(about)}</span>}
      <Control id={id} field={field} value={value} onChange={onChange} />
    </div>
  );
}

function Control({ id, field, value, onChange }: FieldProps & { readonly id: string }): ReactNode {
  const { kind, choices } = field;
  switch (kind) {
    case 'switch':
      return (
        <input
          id={id}
          type="checkbox"
          checked={value === true}
          onChange={(event) => onChange(event.currentTarget.checked)}
        />
      );
    case 'one':
    case 'many':
      return (
        <select
          id={id}
          multiple={kind === 'many'}
          value={typeof value === 'boolean' ? '' : (value as string | string[])}
          onChange={({ currentTarget }) =>
            onChange(
              kind === 'one'
                ? currentTarget.value
                : [...currentTarget.selectedOptions].map((option) => option.value),
            )
          }
        >
          {kind === 'one' ? <option value="" /> : null}
          {choices.map((choice) => (
            <option key={choice.value} value={choice.value}>
              {markInvisible(choice.label)}
            </option>
          ))}
        </select>
      );
    default:
      return (
        <input
          id={id}
          inputMode={kind === 'text' ? 'text' : 'decimal'}
          value={String(value)}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      );
  }
}

function JsonAnswer({ sending, onAnswer }: Omit<FormAnswerProps, 'schema'>): ReactNode {
  const [text, setText] = useState('');
  const [isBroken, setBroken] = useState(false);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    try {
      onAnswer(JSON.parse(text) as JsonValue);
    } catch {
      setBroken(true);
    }
  };
  return (
    <form className="ask-options" onSubmit={submit}>
      <input
        aria-label="Your answer as JSON"
        value={text}
        onChange={(event) => {
          setBroken(false);
          setText(event.currentTarget.value);
        }}
      />
      <button type="submit" className="button primary" disabled={sending || text.trim() === ''}>
        Answer
      </button>
      {isBroken ? (
        <p className="failure" role="alert">
          This is not JSON.
        </p>
      ) : null}
    </form>
  );
}
