import { type Answer, answerOf, type Question, type Turn } from '@plugboard/protocol';
import type { Ask } from '../agent.ts';
import type { Profile } from '../profile/profile.ts';
import { type Approvals, DEFAULT_APPROVALS, decisionFor } from './approvals.ts';

/**
 * Answers by the rules of the profile and passes the remaining questions to `ask`, within `timeoutSecs`. Undefined
 * without rules and without `ask`, when every answer would be no.
 */
export function approve(profile: Pick<Profile, 'name' | 'approvals'>, ask: Ask | undefined): Ask | undefined {
  const { approvals } = profile;
  if (approvals === undefined && ask === undefined) return undefined;
  const policy = approvals ?? DEFAULT_APPROVALS;
  return async (question, about) => {
    const { tool } = question;
    const decision = tool === undefined ? 'ask' : decisionFor(policy, tool.name);
    if (decision !== 'ask') return byRule(question, decision === 'allow', profile.name);
    if (ask === undefined) return unattended(question);
    return inTime(question, about, ask, policy);
  };
}

/** Sets `extensions.permission` on a turn when `ask` is present, which lets dialects offer questions to the agent. */
export function offerToAsk(turn: Turn, ask: Ask | undefined): Turn {
  if (ask === undefined || turn.extensions?.permission !== undefined) return turn;
  return { ...turn, extensions: { ...turn.extensions, permission: true } };
}

function byRule(question: Question, allowed: boolean, name: string): Answer {
  const origin = { by: `profile ${name}`, via: 'policy' } as const;
  return answerOf(question, allowed ? { allowed } : { allowed, reason: BY_RULE }, origin);
}

const BY_RULE = 'The profile of this agent does not allow it.';
const NOBODY = 'Nobody is there who could be asked, and no rule of the profile allows it.';

function unattended(question: Question): Answer {
  return answerOf(question, { allowed: false, reason: NOBODY }, { by: 'host', via: 'policy' });
}

/** Ends the question when its time is over: `ask` sees its signal abort, and the answer is no. */
async function inTime(
  question: Question,
  { id, signal }: Parameters<Ask>[1],
  ask: Ask,
  { timeoutSecs }: Approvals,
): Promise<Answer> {
  if (timeoutSecs <= 0) return ask(question, { id, signal });
  const over = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Answer>((resolve) => {
    timer = setTimeout(() => {
      const reason = `Nobody answered within ${timeoutSecs} s.`;
      resolve(answerOf(question, { allowed: false, reason }, { by: 'host', via: 'deadline' }));
      over.abort();
    }, timeoutSecs * 1000);
  });
  try {
    return await Promise.race([ask(question, { id, signal: AbortSignal.any([signal, over.signal]) }), late]);
  } finally {
    clearTimeout(timer);
  }
}
