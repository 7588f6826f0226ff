import type { Answer } from '../backend/backend.ts';
import { requireSuccess } from '../backend/outcome.ts';
import type { Session } from '../backend/with-backend.ts';
import { NibError } from '../failure.ts';
import { EXTRACTION_SCHEMA, type Extraction } from './schema.ts';
import { validateExtraction } from './validate.ts';

/** How a scene is put to the backend. */
export interface Extracting {
  readonly session: Session;
  readonly effort: string;
  /** The context, given what was wrong with the answer before. */
  readonly context: (problems: readonly string[]) => string;
  readonly onStderr: (text: string) => void;
}

/** Has one scene read. An answer that does not fit the schema is asked for once more, with what is wrong. */
export async function extract(extracting: Extracting): Promise<Extraction> {
  const first = await attempt(extracting, []);
  if (first.ok) return first.extraction;
  const second = await attempt(extracting, first.problems);
  if (second.ok) return second.extraction;
  throw new NibError(
    `the backend's data does not fit, not even when asked again: ${second.problems.join('; ')}`,
  );
}

async function attempt(
  { session, effort, context, onStderr }: Extracting,
  problems: readonly string[],
): Promise<ReturnType<typeof validateExtraction>> {
  const { backend, signal } = session;
  const request = {
    operation: 'continuity-index',
    fields: { context: context(problems), effort },
    schema: EXTRACTION_SCHEMA,
  };
  const answer: Answer = await backend.run(request, { signal, onStderr });
  signal.throwIfAborted();
  const { end, fault } = answer;
  // An answer without data is as wrong as one with the wrong data.
  if (fault !== undefined && end.exitCode === 0 && problems.length === 0)
    return { ok: false, problems: [fault] };
  return validateExtraction(requireSuccess(backend.name, answer).data);
}
