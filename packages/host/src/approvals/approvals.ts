/** The handling of a permission question: `ask` puts it to a person, `allow` and `deny` decide it at once. */
export type Decision = 'ask' | 'allow' | 'deny';

/** The decision about some tools. */
export interface ApprovalRule {
  /** The name of the tool; `*` stands for any characters. */
  readonly tool: string;
  readonly decision: Decision;
}

/** The field `approvals` of a profile: how permission questions of the agent are decided. */
export interface Approvals {
  /** The decision where no rule fits. */
  readonly default: Decision;
  /** The first one whose `tool` fits decides. Questions that are not about a tool are always put to a person. */
  readonly rules: readonly ApprovalRule[];
  /** Time limit for a person; then the answer is no. 0 means no limit. */
  readonly timeoutSecs: number;
  /** Names of the people who may answer, as the gateway knows them; everyone in the session when absent. */
  readonly approvers?: readonly string[];
}

/** For a profile without `approvals`: every question goes to a person. */
export const DEFAULT_APPROVALS: Approvals = { default: 'ask', rules: [], timeoutSecs: 300 };

/** The decision that the rules give about a tool. */
export function decisionFor({ rules, default: otherwise }: Approvals, tool: string): Decision {
  return rules.find((rule) => matches(rule.tool, tool))?.decision ?? otherwise;
}

function matches(pattern: string, name: string): boolean {
  const parts = pattern.split('*').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`, 's').test(name);
}
