import type { Policy } from './policy.ts';
import { ruleText } from './rule.ts';

/** A longer list would crowd out the prompt it stands in. */
const RULES_TOLD = 30;

/** What the agent may do, in a few lines for a prompt or a person. */
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
