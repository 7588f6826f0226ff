import { Problem, type ProblemCode } from '../problem.ts';

/** What this API says of an error beside the sentence: a code that programs know, and the field it is about. */
export interface ErrorDetail {
  readonly code: string;
  readonly param?: string | undefined;
}

const LONGEST_MESSAGE = 500;
const LONGEST_PARAM = 200;

/** A Problem with the words of this API. */
export class OpenaiProblem extends Problem {
  readonly detail: ErrorDetail;

  constructor(code: ProblemCode, message: string, detail: ErrorDetail) {
    // An agent's own words are bounded by its host; others may quote a field of the request, which can be a megabyte.
    super(code, code === 'agent-failed' ? message : clip(message, LONGEST_MESSAGE));
    this.name = 'OpenaiProblem';
    this.detail =
      detail.param === undefined ? detail : { ...detail, param: clip(detail.param, LONGEST_PARAM) };
  }
}

function clip(text: string, longest: number): string {
  return text.length <= longest ? text : `${text.slice(0, longest)}…`.toWellFormed();
}

/** A field that says something which cannot be done. */
export function invalid(param: string, message: string, code = 'invalid_value'): OpenaiProblem {
  return new OpenaiProblem('invalid', message, { code, param });
}
