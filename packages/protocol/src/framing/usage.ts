import type { Usage } from '../model/event.ts';
import type { JsonValue } from '../model/json.ts';
import { isObject } from './json.ts';

/** The counts in what an agent says of its usage; undefined when it does not say it as an object. */
export function readUsage(value: JsonValue | undefined): Usage | undefined {
  if (!isObject(value)) return undefined;
  const counts = Object.entries(value).filter((entry): entry is [string, number] =>
    Number.isFinite(entry[1]),
  );
  return Object.fromEntries(counts);
}
