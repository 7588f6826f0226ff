import type { End } from '@plugboard/host';
import { OpenaiProblem } from '../problem.ts';

const CODES = { error: 'agent_error', timeout: 'agent_timeout', cancelled: 'agent_cancelled' } as const;

const SENTENCES = {
  error: 'The agent failed.',
  timeout: 'The agent took too long.',
  cancelled: 'The turn was cancelled.',
} as const;

/** The error of a turn, with the agent's message if it has one; undefined on success. */
export function failureOf({ outcome, error }: End): OpenaiProblem | undefined {
  if (outcome === 'success') return undefined;
  const message = error?.message ?? '';
  return new OpenaiProblem('agent-failed', message === '' ? SENTENCES[outcome] : message, {
    code: CODES[outcome],
  });
}
