import { Ajv, type ErrorObject } from 'ajv';
import { EXTRACTION_SCHEMA, type Extraction } from './schema.ts';

/** An extraction, or what is wrong with it in words for a model or a person. */
export type Validated =
  | { readonly ok: true; readonly extraction: Extraction }
  | { readonly ok: false; readonly problems: readonly string[] };

/** So many problems are told: a model that got more wrong has not understood the schema at all. */
const TOLD = 10;

// Compiled once for the program: every scene is held to the same schema.
const validate = new Ajv({ allErrors: true, strict: false }).compile<Extraction>(EXTRACTION_SCHEMA);

/** Holds a backend's data, or a person's edit of it, to the schema. */
export function validateExtraction(data: unknown): Validated {
  if (validate(data)) return { ok: true, extraction: data };
  const problems = (validate.errors ?? []).map(tell);
  const rest = problems.length - TOLD;
  return { ok: false, problems: rest > 0 ? [...problems.slice(0, TOLD), `and ${rest} more`] : problems };
}

function tell({ instancePath, keyword, message, params }: ErrorObject): string {
  const place = instancePath === '' ? 'the answer' : instancePath.slice(1).replaceAll('/', '.');
  if (keyword === 'enum') return `${place} must be one of ${(params.allowedValues as string[]).join(', ')}`;
  return `${place} ${message ?? 'is wrong'}`;
}
