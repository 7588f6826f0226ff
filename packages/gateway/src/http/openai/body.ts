import { z } from 'zod';
import { strictMetadata } from './fields.ts';
import { OpenaiProblem } from './problem.ts';

/**
 * A body that is described by a schema but let through as it is: this API has its own way to say what is wrong with one,
 * and `parseBody` says it.
 */
export function described(schema: z.ZodType): z.ZodType<unknown> {
  const { $schema: _dialect, ...json } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return z.unknown().meta(json);
}

/**
 * Reads a body; throws a problem that names the first field that is not right. `schema` leaves out the fields that it
 * does not know: `strict` (`server.openai_strict`) refuses them, and metadata that is not made of short texts.
 */
export function parseBody<Body>(schema: z.ZodType<Body>, value: unknown, strict: boolean): Body {
  const body = parse(schema, value);
  if (!strict) return body;
  parse(strictFields, value);
  const path = findUnknownField(value, body);
  if (path === undefined) return body;
  const param = fieldOf(path);
  throw new OpenaiProblem('invalid', `Unknown field: ${param}.`, { code: 'unknown_parameter', param });
}

const strictFields = z.looseObject({ metadata: strictMetadata });

function parse<Body>(schema: z.ZodType<Body>, value: unknown): Body {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issue = innermost(result.error.issues);
  throw issue === undefined
    ? new OpenaiProblem('invalid', 'The body is not right.', { code: 'invalid_value' })
    : problemOf(issue);
}

/** The path of the first key of `given` that the schema left out of `read`. */
function findUnknownField(given: unknown, read: unknown): readonly PropertyKey[] | undefined {
  // The same object: `z.unknown()` let it through, to any depth.
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

/** Where a field may have several shapes, the one that came furthest is the one that was meant. */
function innermost([issue]: readonly Issue[], at: readonly PropertyKey[] = []): Issue | undefined {
  if (issue === undefined) return undefined;
  const path = [...at, ...issue.path];
  if (issue.code !== 'invalid_union') return { ...issue, path };
  const deeper = issue.errors.flatMap((branch) => innermost(branch, path) ?? []);
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
  return new OpenaiProblem('invalid', `${param}: ${issue.message}`, { code, param });
}

/** As that API writes it: `messages[0].content`. */
function fieldOf(path: readonly PropertyKey[]): string {
  return path
    .map((step, at) => (typeof step === 'number' ? `[${step}]` : `${at === 0 ? '' : '.'}${String(step)}`))
    .join('');
}
