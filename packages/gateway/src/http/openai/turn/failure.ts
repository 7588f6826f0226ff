import type { End } from '@plugboard/host';
import { OpenaiProblem } from '../problem.ts';

const CODES = { error: 'agent_error', timeout: 'agent_timeout', cancelled: 'agent_cancelled' } as const;

const SENTENCES = {
  error: 'The agent failed.',
  timeout: 'The agent took too long.',
  cancelled: 'The turn was cancelled.',
} as const;

/** Why a turn gave no answer, in the agent's own words where it has some; undefined when it gave one. */
export function failureOf({ outcome, error }: End): OpenaiProblem | undefined {
  if (outcome === 'success') return undefined;
  const message = error?.message ?? '';
  return new OpenaiProblem('agent-failed', message === '' ? SENTENCES[outcome] : message, {
    code: CODES[outcome],
  });
}
