import { Ajv, type ErrorObject } from 'ajv';
import { EXTRACTION_SCHEMA, type Extraction } from './extraction-schema.ts';

/** An extraction, or its schema errors in words for a model or a person. */
export type Validated =
  | { readonly ok: true; readonly extraction: Extraction }
  | { readonly ok: false; readonly problems: readonly string[] };

/** How many errors are listed: a model that makes more has not understood the schema. */
const MOST_PROBLEMS = 10;

// Compiled once per process: all scenes use the same schema.
const validate = new Ajv({ allErrors: true, strict: false }).compile<Extraction>(EXTRACTION_SCHEMA);

/** Validates a backend's data, or a person's edit of it, against `EXTRACTION_SCHEMA`. */
export function validateExtraction(data: unknown): Validated {
  if (validate(data)) return { ok: true, extraction: data };
  const problems = (validate.errors ?? []).map(describeError);
  const rest = problems.length - MOST_PROBLEMS;
  return {
    ok: false,
    problems: rest > 0 ? [...problems.slice(0, MOST_PROBLEMS), `and ${rest} more`] : problems,
  };
}

function describeError({ instancePath, keyword, message, params }: ErrorObject): string {
  const place = instancePath === '' ? 'the answer' : instancePath.slice(1).replaceAll('/', '.');
  if (keyword === 'enum') return `${place} must be one of ${(params.allowedValues as string[]).join(', ')}`;
  return `${place} ${message ?? 'is wrong'}`;
}
