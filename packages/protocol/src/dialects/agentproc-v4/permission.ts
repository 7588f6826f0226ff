import { asciiJson } from '../../framing/json.ts';
import { type Answer, permissionOf, type Question } from '../../model/question.ts';
import type { Turn } from '../../model/turn.ts';
import type { AgentprocV4Settings } from './settings.ts';

/** Whether the agent is offered to ask: by `permission` of the profile, or by another host of this dialect in front. */
export function mayAsk({ extensions }: Turn, { permission }: AgentprocV4Settings): boolean {
  return permission !== 'off' || extensions?.permission === true;
}

/** The line that answers a question. */
export function permissionLine(id: string, question: Question, answer: Answer): string {
  const { allowed, reason, input } = permissionOf(question, answer);
  const response = {
    type: 'permission_response',
    request_id: id,
    behavior: allowed ? 'allow' : 'deny',
    ...(reason === undefined ? {} : { message: reason }),
    ...(input === undefined ? {} : { updated_input: input }),
  };
  return `${asciiJson(response)}\n`;
}
