import { isObject, type JsonValue } from '@plugboard/protocol';
import type { LocalSettings } from '../settings.ts';

/** As `fetch` of Node. */
export type Fetch = typeof globalThis.fetch;

const TIME_MS = 5_000;

/** The models that the server says it has; undefined when it does not say. Throws when it cannot be reached. */
export async function listModels(
  { endpoint, apiKey }: LocalSettings,
  fetch: Fetch,
  signal: AbortSignal,
): Promise<readonly string[] | undefined> {
  const headers = apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` };
  const limit = AbortSignal.any([signal, AbortSignal.timeout(TIME_MS)]);
  const response = await fetch(`${endpoint}/models`, { headers, signal: limit });
  const body = (await response.json().catch(() => undefined)) as JsonValue | undefined;
  if (!response.ok || !isObject(body) || !Array.isArray(body.data)) return undefined;
  return body.data.flatMap((one) => (isObject(one) && typeof one.id === 'string' ? [one.id] : []));
}
