/** JSON of Slack, of which any field may be missing. */
export type Json = Readonly<Record<string, unknown>>;

export function recordAt(json: Json, name: string): Json {
  const value = json[name];
  return isRecord(value) ? value : {};
}

export function listAt(json: Json, name: string): readonly Json[] {
  const value = json[name];
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

/** The field as a `string`; undefined when empty or of another type. */
export function textAt(json: Json, name: string): string | undefined {
  const value = json[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export function isRecord(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
