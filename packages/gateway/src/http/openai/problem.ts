import { Problem, type ProblemCode } from '../problem.ts';

/** The OpenAI fields of an error: `code`, and the request field it is about. */
export interface ErrorDetail {
  readonly code: string;
  readonly param?: string | undefined;
}

const LONGEST_MESSAGE = 500;
const LONGEST_PARAM = 200;

/** A `Problem` with OpenAI error fields. */
export class OpenaiProblem extends Problem {
  readonly detail: ErrorDetail;

  constructor(code: ProblemCode, message: string, detail: ErrorDetail) {
    // The host limits messages of an agent; other messages may quote a request field of 1 MiB.
    super(code, code === 'agent-failed' ? message : shorten(message, LONGEST_MESSAGE));
    this.name = 'OpenaiProblem';
    this.detail =
      detail.param === undefined ? detail : { ...detail, param: shorten(detail.param, LONGEST_PARAM) };
  }
}

function shorten(text: string, longest: number): string {
  return text.length <= longest ? text : `${text.slice(0, longest)}…`.toWellFormed();
}

/** Error for an unsupported or invalid field. */
export function invalidField(param: string, message: string, code = 'invalid_value'): OpenaiProblem {
  return new OpenaiProblem('invalid', message, { code, param });
}
