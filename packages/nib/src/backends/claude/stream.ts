import { isObject, type JsonObject, type JsonValue, parseJson } from '@plugboard/protocol';

/** What `claude` has said so far. */
export interface Stream {
  /** The last line of all, which sums it up. */
  result: JsonObject | undefined;
  /** What it printed that was no JSON: where it fails early, that is the reason. */
  noise: string;
  /** Why the server refuses the account, which no further retry of `claude` changes. */
  refusal: string | undefined;
}

const MOST_NOISE = 4_000;
const MOST_STEP = 200;

/** A run of which nothing has been heard. */
export function createStream(): Stream {
  return { result: undefined, noise: '', refusal: undefined };
}

/** Takes a line; gives what is being done, in a few words for the author who watches. */
export function takeLine(stream: Stream, line: string): readonly string[] {
  const parsed = parseJson(line);
  if (!parsed.ok || !isObject(parsed.value)) {
    if (line.trim() !== '' && stream.noise.length < MOST_NOISE) stream.noise += `${line}\n`;
    return [];
  }
  if (parsed.value.type === 'result') stream.result = parsed.value;
  if (parsed.value.subtype === 'api_retry') return retryStep(stream, parsed.value);
  return parsed.value.type === 'assistant' ? stepsIn(parsed.value) : [];
}

/** A server that answers 401 or 403 twice refuses the key; the first may be a token that `claude` renews by itself. */
const REFUSALS_ALLOWED = 1;

/** `claude` retries ten times, for minutes, also with a wrong key. */
function retryStep(
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

function stepsIn({ message }: JsonObject): readonly string[] {
  const content = isObject(message) && Array.isArray(message.content) ? message.content : [];
  return content.flatMap((block) => (isObject(block) && block.type === 'tool_use' ? [stepOf(block)] : []));
}

function stepOf({ name, input }: JsonObject): string {
  const about = isObject(input) ? (input.file_path ?? input.pattern ?? input.command) : undefined;
  const words = typeof about === 'string' ? `${String(name)} ${about}` : String(name);
  // It ends up on a terminal.
  return words.replace(/\p{Cc}+/gu, ' ').slice(0, MOST_STEP);
}

/** What a run came to: text and perhaps data, or why there is none. */
export type Outcome =
  | { readonly ok: true; readonly text: string; readonly data: JsonValue | undefined }
  | { readonly ok: false; readonly message: string };

/** What the last line says. Without one, or without any words in it, the reason has to be found elsewhere. */
export function outcomeOf({ result }: Stream): Outcome | undefined {
  if (result === undefined) return undefined;
  const text = typeof result.result === 'string' ? result.result : '';
  const failed =
    result.is_error === true || (typeof result.subtype === 'string' && result.subtype !== 'success');
  if (!failed) return { ok: true, text, data: result.structured_output };
  return { ok: false, message: text || errorsIn(result) || `it stopped with ${String(result.subtype)}.` };
}

function errorsIn({ errors }: JsonObject): string {
  return Array.isArray(errors) ? errors.filter((error) => typeof error === 'string').join(' ') : '';
}
