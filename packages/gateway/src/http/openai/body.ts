import { z } from 'zod';
import { demandOf } from '../invalid-text.ts';
import { strictMetadata } from './fields.ts';
import { OpenaiProblem } from './problem.ts';

/**
 * Parses a body; throws an `OpenaiProblem` with the first invalid field. `schema` drops unknown fields; `strict`
 * (`server.openai_strict`) refuses them, and metadata values that are not short strings.
 */
export function parseBody<Body>(schema: z.ZodType<Body>, value: unknown, strict: boolean): Body {
  const body = parseWith(schema, value);
  if (!strict) return body;
  parseWith(strictFields, value);
  const path = findUnknownField(value, body);
  if (path === undefined) return body;
  const param = fieldOf(path);
  throw new OpenaiProblem('invalid', `Unknown field: ${param}.`, { code: 'unknown_parameter', param });
}

const strictFields = z.looseObject({ metadata: strictMetadata });

function parseWith<Body>(schema: z.ZodType<Body>, value: unknown): Body {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issue = findInnermost(result.error.issues);
  throw issue === undefined
    ? new OpenaiProblem('invalid', 'The body is not right.', { code: 'invalid_value' })
    : problemOf(issue);
}

/** The path of the first key of `given` that the schema left out of `read`. */
function findUnknownField(given: unknown, read: unknown): readonly PropertyKey[] | undefined {
  // `z.unknown()` returns its input object, which needs no comparison.
  if (given === read || !isRecord(given) || !isRecord(read)) return undefined;
  for (const [key, value] of Object.entries(given)) {
    const step = Array.isArray(given) ? Number(key) : key;
    if (!Object.hasOwn(read, key)) return [step];
    const inner = findUnknownField(value, read[key]);
    if (inner !== undefined) return [step, ...inner];
  }
  return undefined;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

type Issue = z.core.$ZodIssue;

/** Of the branches of a union, the issue with the longest path belongs to the branch that the client meant. */
function findInnermost([issue]: readonly Issue[], at: readonly PropertyKey[] = []): Issue | undefined {
  if (issue === undefined) return undefined;
  const path = [...at, ...issue.path];
  if (issue.code !== 'invalid_union') return { ...issue, path };
  const deeper = issue.errors.flatMap((branch) => findInnermost(branch, path) ?? []);
  const furthest = deeper.reduce<Issue | undefined>(
    (best, one) => (one.path.length > (best?.path.length ?? path.length) ? one : best),
    undefined,
  );
  return furthest ?? { ...issue, path };
}

function problemOf(issue: Issue): OpenaiProblem {
  const param = fieldOf(issue.path);
  if (param === '')
    return new OpenaiProblem('invalid', 'The body must be a JSON object.', { code: 'invalid_type' });
  const missing = issue.code === 'invalid_type' && issue.message.endsWith('received undefined');
  if (missing) {
    const message = `The field ${param} is missing.`;
    return new OpenaiProblem('invalid', message, { code: 'missing_required_parameter', param });
  }
  const code = issue.code === 'invalid_type' ? 'invalid_type' : 'invalid_value';
  const message = ZOD_MESSAGE.test(issue.message)
    ? `${param} ${demandOf(issue)}.`
    : `${param}: ${issue.message}`;
  return new OpenaiProblem('invalid', message, { code, param });
}

/** Default messages of zod; a schema replaces them with `z.string(message)`. */
const ZOD_MESSAGE = /^(?:Invalid|Too small|Too big)\b/;

/** A path in the notation of the OpenAI API: `messages[0].content`. */
function fieldOf(path: readonly PropertyKey[]): string {
  return path
    .map((step, at) => (typeof step === 'number' ? `[${step}]` : `${at === 0 ? '' : '.'}${String(step)}`))
    .join('');
}
