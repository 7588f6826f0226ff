import { isObject, type JsonObject, type JsonValue, parseJson } from '@plugboard/protocol';

/** The output of `claude` so far. */
export interface Stream {
  /** The last line of `claude`, with the type `result`. */
  result: JsonObject | undefined;
  /** Output lines that are not JSON: if `claude` fails early, they have the reason. */
  noise: string;
  /** Why the server refuses the account; further retries of `claude` would not help. */
  refusal: string | undefined;
}

const MOST_NOISE = 4_000;
const MOST_STEP = 200;

export function createStream(): Stream {
  return { result: undefined, noise: '', refusal: undefined };
}

/** Processes a line; returns descriptions of the steps in it, for the author. */
export function processLine(stream: Stream, line: string): readonly string[] {
  const parsed = parseJson(line);
  if (!parsed.ok || !isObject(parsed.value)) {
    if (line.trim() !== '' && stream.noise.length < MOST_NOISE) stream.noise += `${line}\n`;
    return [];
  }
  if (parsed.value.type === 'result') stream.result = parsed.value;
  if (parsed.value.subtype === 'api_retry') return describeRetry(stream, parsed.value);
  return parsed.value.type === 'assistant' ? describeSteps(parsed.value) : [];
}

/** A server that answers 401 or 403 twice refuses the key; the first may be an expired token that `claude` renews. */
const REFUSALS_ALLOWED = 1;

/** `claude` retries 10 times, for minutes, even with a wrong key. */
function describeRetry(
  stream: Stream,
  { attempt, max_retries: most, error_status: status, error }: JsonObject,
): readonly string[] {
  const reason = [status, error]
    .filter((part) => typeof part === 'number' || typeof part === 'string')
    .join(' ');
  if ((status === 401 || status === 403) && Number(attempt) > REFUSALS_ALLOWED)
    stream.refusal = `the server refuses the key or the login (${reason}). Check ANTHROPIC_API_KEY, or start claude once to log in.`;
  return [`claude tries again, ${String(attempt)} of ${String(most)}: ${reason}`.slice(0, MOST_STEP)];
}

function describeSteps({ message }: JsonObject): readonly string[] {
  const content = isObject(message) && Array.isArray(message.content) ? message.content : [];
  return content.flatMap((block) =>
    isObject(block) && block.type === 'tool_use' ? [describeStep(block)] : [],
  );
}

function describeStep({ name, input }: JsonObject): string {
  const about = isObject(input) ? (input.file_path ?? input.pattern ?? input.command) : undefined;
  const words = typeof about === 'string' ? `${String(name)} ${about}` : String(name);
  // Control characters are removed, because the text is shown on a terminal.
  return words.replace(/\p{Cc}+/gu, ' ').slice(0, MOST_STEP);
}

/** The result of a run: text and optional data, or an error message. */
export type Outcome =
  | { readonly ok: true; readonly text: string; readonly data: JsonValue | undefined }
  | { readonly ok: false; readonly message: string };

/** The outcome in `stream.result`; undefined if `claude` has not written it. */
export function getOutcome({ result }: Stream): Outcome | undefined {
  if (result === undefined) return undefined;
  const text = typeof result.result === 'string' ? result.result : '';
  const failed =
    result.is_error === true || (typeof result.subtype === 'string' && result.subtype !== 'success');
  if (!failed) return { ok: true, text, data: result.structured_output };
  return { ok: false, message: text || joinErrors(result) || `it stopped with ${String(result.subtype)}.` };
}

function joinErrors({ errors }: JsonObject): string {
  return Array.isArray(errors) ? errors.filter((error) => typeof error === 'string').join(' ') : '';
}
