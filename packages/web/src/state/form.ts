import type { JsonObject, JsonValue } from '@plugboard/protocol';

/** One field of a form, read from a property of a flat JSON Schema. */
export interface FormField {
  readonly name: string;
  readonly label: string;
  readonly about: string;
  readonly kind: 'text' | 'number' | 'integer' | 'switch' | 'one' | 'many';
  /** Of `one` and `many`. */
  readonly choices: readonly { readonly value: string; readonly label: string }[];
  readonly required: boolean;
  readonly initial: FieldValue;
}

export type FieldValue = string | boolean | readonly string[];

/** The fields of a schema; undefined when one of them is no single value: such a form is answered as JSON. */
export function readFields({ properties, required }: JsonObject): readonly FormField[] | undefined {
  if (!isRecord(properties)) return undefined;
  const needed = Array.isArray(required) ? required : [];
  const fields = Object.entries(properties).map(([name, schema]) =>
    isRecord(schema) ? readField(name, schema, needed.includes(name)) : undefined,
  );
  return fields.every((field) => field !== undefined) && fields.length > 0 ? fields : undefined;
}

function readField(name: string, schema: JsonObject, required: boolean): FormField | undefined {
  const label = textOf(schema.title) ?? name;
  const field = { name, label, about: textOf(schema.description) ?? '', choices: [], required };
  const choices = choicesOf(schema);
  if (choices.length > 0) return { ...field, kind: 'one', choices, initial: textOf(schema.default) ?? '' };
  switch (schema.type) {
    case 'string':
      return { ...field, kind: 'text', initial: textOf(schema.default) ?? '' };
    case 'number':
    case 'integer':
      return { ...field, kind: schema.type, initial: String(schema.default ?? '') };
    case 'boolean':
      return { ...field, kind: 'switch', initial: schema.default === true };
    case 'array': {
      const several = isRecord(schema.items) ? choicesOf(schema.items) : [];
      const initial = Array.isArray(schema.default)
        ? schema.default.filter((one) => typeof one === 'string')
        : [];
      return several.length === 0 ? undefined : { ...field, kind: 'many', choices: several, initial };
    }
    default:
      return undefined;
  }
}

/** The values of `enum`, with `enumNames`, or of `oneOf` and `anyOf` with constants. */
function choicesOf(schema: JsonObject): { value: string; label: string }[] {
  const names = Array.isArray(schema.enumNames) ? schema.enumNames : [];
  if (Array.isArray(schema.enum))
    return schema.enum.flatMap((value, index) =>
      typeof value === 'string' ? [{ value, label: textOf(names[index]) ?? value }] : [],
    );
  const options = [schema.oneOf, schema.anyOf].find(Array.isArray) ?? [];
  return options.flatMap((option) =>
    isRecord(option) && typeof option.const === 'string'
      ? [{ value: option.const, label: textOf(option.title) ?? option.const }]
      : [],
  );
}

/** The answer that the values make: fields that were left empty are left out. */
export function formData(
  fields: readonly FormField[],
  values: Readonly<Record<string, FieldValue>>,
): Record<string, JsonValue> {
  return Object.fromEntries(
    fields.flatMap(({ name, kind, initial }): [string, JsonValue][] => {
      const value = values[name] ?? initial;
      if (value === '') return [];
      const isNumber = kind === 'number' || kind === 'integer';
      return [[name, isNumber ? Number(value) : value]];
    }),
  );
}

/** The label of a field that must be filled in, or holds no number; undefined when all is well. */
export function findUnfilled(
  fields: readonly FormField[],
  values: Readonly<Record<string, FieldValue>>,
): string | undefined {
  return fields.find(({ name, kind, required, initial }) => {
    const value = values[name] ?? initial;
    if (value === '' || (Array.isArray(value) && value.length === 0)) return required;
    if (kind === 'number') return Number.isNaN(Number(value));
    return kind === 'integer' && !Number.isInteger(Number(value));
  })?.label;
}

function isRecord(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function textOf(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
