import { z } from 'zod';
import { OpenaiProblem } from './problem.ts';

/**
 * A body that is described by a schema but let through as it is: this API has its own way to say what is wrong with one,
 * and `parseBody` says it.
 */
export function described(schema: z.ZodType): z.ZodType<unknown> {
  const { $schema: _dialect, ...json } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return z.unknown().meta(json);
}

/** Reads a body; throws a problem that names the first field that is not right. */
export function parseBody<Body>(schema: z.ZodType<Body>, value: unknown): Body {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issue = innermost(result.error.issues);
  throw issue === undefined
    ? new OpenaiProblem('invalid', 'The body is not right.', { code: 'invalid_value' })
    : problemOf(issue);
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
  if (issue.code === 'unrecognized_keys') {
    const param = fieldOf([...issue.path, issue.keys[0] ?? '']);
    return new OpenaiProblem('invalid', `Unknown field: ${param}.`, { code: 'unknown_parameter', param });
  }
  const param = fieldOf(issue.path);
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
