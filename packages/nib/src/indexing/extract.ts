import type { Answer } from '../backend/backend.ts';
import { requireSuccess } from '../backend/outcome.ts';
import type { BackendSession } from '../backend/with-backend.ts';
import { NibError } from '../nib-error.ts';
import { EXTRACTION_SCHEMA, type Extraction } from './extraction-schema.ts';
import { validateExtraction } from './validate-extraction.ts';

/** The input of `extractScene`. */
export interface ExtractionInput {
  readonly session: BackendSession;
  readonly effort: string;
  /** Builds the context; `problems` are the schema errors of the previous answer. */
  readonly context: (problems: readonly string[]) => string;
  readonly onStderr: (text: string) => void;
}

/** Extracts one scene. An answer that does not fit the schema is requested once more, with its errors. */
export async function extractScene(input: ExtractionInput): Promise<Extraction> {
  const first = await requestExtraction(input, []);
  if (first.ok) return first.extraction;
  const second = await requestExtraction(input, first.problems);
  if (second.ok) return second.extraction;
  throw new NibError(
    `the backend's data does not fit, not even when asked again: ${second.problems.join('; ')}`,
  );
}

async function requestExtraction(
  { session, effort, context, onStderr }: ExtractionInput,
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
  // An answer without data is retried like an answer with invalid data.
  if (fault !== undefined && end.exitCode === 0 && problems.length === 0)
    return { ok: false, problems: [fault] };
  return validateExtraction(requireSuccess(backend.name, answer).data);
}
