import { isObject, type JsonValue } from '@plugboard/protocol';
import { estimateTokens } from '../memory/tokens.ts';

/** The fields that a host sends beside a message. */
export type HostSettings = Readonly<Record<string, JsonValue>>;

/**
 * One sentence for each field that cannot be used. Without it a host would not learn that its turn ran without its
 * tools, variables or instructions.
 */
export function settingsProblems(
  { system_prompt, mcp_servers, environment }: HostSettings,
  room: number,
): string[] {
  return [
    ...promptProblems(system_prompt, room),
    ...(mcp_servers === undefined || isObject(mcp_servers)
      ? []
      : ['`mcp_servers` must be an object with an entry for each server.']),
    ...environmentProblems(environment),
  ];
}

/** `system_prompt` is part of every prompt: one above half of `limits.room` would leave no room for the conversation. */
function promptProblems(prompt: JsonValue | undefined, room: number): string[] {
  if (prompt === undefined) return [];
  if (typeof prompt !== 'string') return ['`system_prompt` must be a text; an empty one clears it.'];
  const tokens = estimateTokens(prompt);
  if (tokens <= room / 2) return [];
  const most = Math.floor(room / 2);
  return [`The system_prompt takes about ${tokens} tokens and may take ${most}; the one before it stays.`];
}

function environmentProblems(environment: JsonValue | undefined): string[] {
  if (environment === undefined) return [];
  if (!isObject(environment)) return ['`environment` must be an object of texts.'];
  const wrong = Object.entries(environment).filter(([name, value]) => !isVariable(name, value));
  return wrong.map(
    ([name]) => `\`environment.${name}\` must be a text without a zero byte, under a name without "=".`,
  );
}

function isVariable(name: string, value: JsonValue | undefined): boolean {
  return typeof value === 'string' && !value.includes('\0') && /^[^=\0]+$/.test(name);
}

/** The variables that a host sets for programs of one turn. */
export function environmentOf({ environment }: HostSettings): Record<string, string> {
  if (!isObject(environment)) return {};
  return Object.fromEntries(
    Object.entries(environment).filter((entry): entry is [string, string] => isVariable(...entry)),
  );
}
