import type { Problem, ProblemCode } from '../problem.ts';
import { type ErrorDetail, OpenaiProblem } from './problem.ts';

const TYPES: Partial<Record<ProblemCode, string>> = {
  unauthenticated: 'authentication_error',
  forbidden: 'permission_error',
  'too-many': 'rate_limit_error',
  failed: 'server_error',
  unavailable: 'server_error',
  'agent-failed': 'server_error',
};

/** Error codes that OpenAI clients test for; all other codes are those of `Problem`. */
const CODES: Partial<Record<ProblemCode, string>> = {
  unauthenticated: 'invalid_api_key',
  'too-many': 'rate_limit_exceeded',
};

/** Formats a `Problem` as an OpenAI error. */
export function openaiError(problem: Problem, requestId: string): { readonly error: unknown } {
  const { message } = problem;
  const { code, param }: ErrorDetail =
    problem instanceof OpenaiProblem ? problem.detail : { code: CODES[problem.code] ?? problem.code };
  const type = TYPES[problem.code] ?? 'invalid_request_error';
  return { error: { message, type, code, param: param ?? null, request_id: requestId } };
}
