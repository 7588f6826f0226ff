import { Problem, type ProblemCode } from '../problem.ts';

/** What this API says of an error beside the sentence: a code that programs know, and the field it is about. */
export interface ErrorDetail {
  readonly code: string;
  readonly param?: string | undefined;
}

/** A Problem with the words of this API. */
export class OpenaiProblem extends Problem {
  readonly detail: ErrorDetail;

  constructor(code: ProblemCode, message: string, detail: ErrorDetail) {
    super(code, message);
    this.name = 'OpenaiProblem';
    this.detail = detail;
  }
}

/** A field that says something which cannot be done. */
export function invalid(param: string, message: string, code = 'invalid_value'): OpenaiProblem {
  return new OpenaiProblem('invalid', message, { code, param });
}
