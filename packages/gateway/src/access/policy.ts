import type { Inbound } from '../channels/channel.ts';

/** Who may talk in a channel. Without `allow`, `owners` and paired people, nobody may. */
export interface AccessPolicy {
  /** Ids of people; `*` stands for everybody. */
  readonly allow: readonly string[];
  /** Ids of people who also accept pairing requests, answer questions of agents, and have no budget. */
  readonly owners: readonly string[];
  /** `mention`: messages of groups that address the agent. `all`: all messages of groups. `off`: no groups. */
  readonly groups: 'mention' | 'all' | 'off';
  /** Whether strangers are given a code for the operator. */
  readonly pairing: boolean;
  /** Limits for each person and day; absent: none. */
  readonly turnsPerDay?: number;
  readonly costPerDay?: number;
}

/**
 * - `admit`: the sender may talk.
 * - `ignore`: the message is not for the agent.
 * - `pair`: a stranger in a private place, who is given a code.
 * - `refuse`: a stranger who is told `reason`, once.
 */
export type Verdict =
  | { readonly kind: 'admit' | 'ignore' | 'pair' }
  | { readonly kind: 'refuse'; readonly reason: string };

const STRANGER = 'I only answer people whom my operator has let in.';
const STRANGER_IN_GROUP = `${STRANGER} Write to me in private to ask for that.`;

/** Decides about a message. `isPaired` is what the store knows about its sender. */
export function judge(
  policy: AccessPolicy,
  { sender, group }: Pick<Inbound, 'sender' | 'group'>,
  isPaired: boolean,
): Verdict {
  if (group !== undefined && policy.groups === 'off') return { kind: 'ignore' };
  const isForAgent = group === undefined || group.addressed;
  if (isKnown(policy, sender, isPaired))
    return { kind: isForAgent || policy.groups === 'all' ? 'admit' : 'ignore' };
  if (!isForAgent) return { kind: 'ignore' };
  if (group !== undefined) return { kind: 'refuse', reason: policy.pairing ? STRANGER_IN_GROUP : STRANGER };
  return policy.pairing ? { kind: 'pair' } : { kind: 'refuse', reason: STRANGER };
}

/** Whether a sender may talk, wherever it is. */
export function isKnown({ allow, owners }: AccessPolicy, sender: string, isPaired: boolean): boolean {
  return isPaired || allow.includes('*') || allow.includes(sender) || owners.includes(sender);
}
