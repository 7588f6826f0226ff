import type { JSONValue } from 'ai';

/** The longest name of a tool that every provider accepts. */
const NAME_CHARS = 64;

/**
 * The name of a tool as every provider accepts it. Models invent names, and a provider refuses every later request of a
 * conversation that has a name it does not accept.
 */
export function sendableName(name: string): string {
  return name.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, NAME_CHARS) || 'unnamed';
}

/** The input of a call as every provider accepts it: an object, whose strings have no lone surrogates. */
export function sendableInput(input: unknown): JSONValue {
  return typeof input === 'object' && input !== null ? (toWellFormed(input as JSONValue) as JSONValue) : {};
}

function toWellFormed(value: JSONValue | undefined): JSONValue | undefined {
  if (typeof value === 'string') return value.toWellFormed();
  if (Array.isArray(value)) return value.map((one: JSONValue) => toWellFormed(one) ?? null);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [name.toWellFormed(), toWellFormed(field)]),
  );
}

/** Frames of the protocol may be nested 64 levels deep, and a frame wraps the input in some of them. */
const DEEPEST = 48;

export function isTooDeep(value: unknown, levels: number = DEEPEST): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((one) => isTooDeep(one, levels - 1));
}

/** The id of a call as Anthropic accepts it. A conversation may have calls of other providers, whose ids have other characters. */
export function toAnthropicId(id: string): string {
  return id.replace(/[^A-Za-z0-9_-]/g, '_');
}

/** Returns `wanted`, or a variant that is not in `taken`, and adds it there. Models repeat ids, or send empty strings. */
export function createCallId(wanted: string, taken: Set<string>): string {
  const base = wanted === '' ? 'call' : wanted;
  let id = wanted === '' ? `${base}_1` : base;
  for (let count = 2; taken.has(id); count++) id = `${base}_${count}`;
  taken.add(id);
  return id;
}
