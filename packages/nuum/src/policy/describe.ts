import type { Policy } from './policy.ts';
import { ruleText } from './rule.ts';

/** More rules would fill the system prompt. */
const RULES_TOLD = 30;

/** The policy as text for a system prompt or for people. */
export function describePolicy(policy: Policy, directory: string): string {
  const rules = policy.rules.map(ruleText);
  const told = rules.slice(0, RULES_TOLD).map((rule) => `- ${rule}`);
  const rest = rules.length - told.length;
  return [
    `Files may be read, except where secrets are kept, and written within ${directory}.`,
    'Shell commands run as they are: path rules do not confine what a command does.',
    'Public web addresses may be fetched, and the tools of configured servers used.',
    ...(told.length === 0 ? [] : ['Rules beside this; deny beats ask, ask beats allow:', ...told]),
    ...(rest > 0 ? [`- and ${rest} more`] : []),
  ].join('\n');
}
