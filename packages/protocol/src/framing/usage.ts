import type { Usage } from '../model/event.ts';
import type { JsonValue } from '../model/json.ts';
import { isObject } from './json.ts';

/** The finite numbers in a `usage` object; undefined when the agent sent no object. */
export function readUsage(value: JsonValue | undefined): Usage | undefined {
  if (!isObject(value)) return undefined;
  const counts = Object.entries(value).filter((entry): entry is [string, number] =>
    Number.isFinite(entry[1]),
  );
  return Object.fromEntries(counts);
}
