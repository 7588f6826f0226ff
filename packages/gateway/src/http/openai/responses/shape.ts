import type { End } from '@plugboard/host';
import type { StoredTurn } from '@plugboard/store';
import { z } from 'zod';
import type { Problem } from '../../problem.ts';
import { tokensOf } from '../turn/usage.ts';
import { type Output, viewItem } from './output.ts';

/** Request fields that a response repeats. */
export interface Echo {
  readonly instructions: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly previous: string | null;
}

export type Status = 'in_progress' | 'completed' | 'failed' | 'cancelled';

/** Progress of an answer. */
export interface Progress {
  readonly status: Status;
  readonly output: Output;
  readonly end?: End;
  readonly problem?: Problem;
}

/** A response of `/v1/responses`, which has more fields than the schema lists. */
export const responseView = z
  .looseObject({
    id: z.string(),
    object: z.literal('response'),
    created_at: z.number(),
    status: z.enum(['in_progress', 'completed', 'failed', 'cancelled']),
    model: z.string(),
    output: z.array(z.looseObject({ type: z.string(), id: z.string() })),
    error: z.object({ code: z.string(), message: z.string() }).nullable(),
    previous_response_id: z.string().nullable(),
  })
  .meta({ id: 'Response' });

/** Formats the answer of a turn, finished or not. */
export function viewResponse(
  turn: StoredTurn,
  { status, output, end, problem }: Progress,
  echo: Echo,
): object {
  const error = problem === undefined ? null : { code: 'server_error', message: problem.message };
  return {
    id: `resp_${turn.id}`,
    object: 'response',
    created_at: secondsOf(turn.startedAt),
    status,
    error,
    incomplete_details: null,
    instructions: echo.instructions,
    metadata: echo.metadata,
    model: turn.agent,
    output: output.items.map(viewItem),
    previous_response_id: echo.previous,
    ...UNUSED,
    usage: end === undefined ? null : usageOf(end),
  };
}

/** Required fields that have no meaning for agents. */
const UNUSED = {
  access_programs: null,
  background: false,
  max_output_tokens: null,
  parallel_tool_calls: false,
  reasoning: { effort: null, summary: null },
  service_tier: 'default',
  store: true,
  temperature: null,
  text: { format: { type: 'text' } },
  tool_choice: 'auto',
  tools: [],
  top_p: null,
  truncation: 'disabled',
} as const;

function usageOf(end: End): object {
  const { input, output } = tokensOf(end);
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: input + output,
  };
}

function secondsOf(at: number): number {
  return Math.floor(at / 1_000);
}
