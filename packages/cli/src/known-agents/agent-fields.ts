import { randomBytes } from 'node:crypto';
import type { KnownAgent } from './known-agents.ts';

/** Profile fields of a known agent, with random values for `randomVariables`. */
export function agentFields({ profile, randomVariables = [] }: KnownAgent) {
  const random = randomVariables.map((name) => [name, randomBytes(24).toString('hex')] as const);
  const env = { ...profile.env, ...Object.fromEntries(random) };
  return { ...profile, ...(Object.keys(env).length === 0 ? {} : { env }) };
}
