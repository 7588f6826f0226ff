import type { JSONValue } from 'ai';

/** The longest name of a tool that every provider takes. */
const NAME_CHARS = 64;

/**
 * The name of a tool as it can be sent back. Models make names up, and a provider that is sent one it would not have
 * taken itself refuses the whole conversation, now and ever after.
 */
export function sendableName(name: string): string {
  return name.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, NAME_CHARS) || 'unnamed';
}

/**
 * Input as it can be sent back: what was no object becomes an empty one, and half a surrogate pair is replaced, as
 * providers accept nothing else.
 */
export function sendableInput(input: unknown): JSONValue {
  return typeof input === 'object' && input !== null ? (wellFormed(input as JSONValue) as JSONValue) : {};
}

function wellFormed(value: JSONValue | undefined): JSONValue | undefined {
  if (typeof value === 'string') return value.toWellFormed();
  if (Array.isArray(value)) return value.map((one: JSONValue) => wellFormed(one) ?? null);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [name.toWellFormed(), wellFormed(field)]),
  );
}

/** Deeper than this no tool needs, and neither the wire nor the memory takes it. */
const DEEPEST = 48;

/** Whether a value is nested so deeply that it cannot be handed on. */
export function isTooDeep(value: unknown, room: number = DEEPEST): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return room === 0 || Object.values(value).some((one) => isTooDeep(one, room - 1));
}

/**
 * The id of a call as Anthropic's API takes it. Ids of other providers may hold more, and a memory outlives the choice of
 * a provider: one id that is refused would refuse the whole conversation.
 */
export function anthropicId(id: string): string {
  return id.replace(/[^A-Za-z0-9_-]/g, '_');
}

/** An id for a call that no other has: models repeat theirs, or forget them. */
export function freshId(wanted: string, taken: Set<string>): string {
  const base = wanted === '' ? 'call' : wanted;
  let id = wanted === '' ? `${base}_1` : base;
  for (let count = 2; taken.has(id); count++) id = `${base}_${count}`;
  taken.add(id);
  return id;
}
