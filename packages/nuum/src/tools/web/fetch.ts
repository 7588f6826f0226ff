import { z } from 'zod';
import { decideCall } from '../../policy/decide.ts';
import type { Policy } from '../../policy/policy.ts';
import { orAbort } from '../abort.ts';
import { defineTool } from '../define.ts';
import { sizeText } from '../files/file-kind.ts';
import { cancelledOutcome, errorOutcome, firstLineOf, successOutcome } from '../outcome.ts';
import type { Outcome, Tool, ToolContext } from '../tool.ts';
import { decodeText, formOf } from './decode-text.ts';
import { htmlToText } from './html.ts';
import { type Body, readBody } from './read-body.ts';
import { sendRequest } from './request.ts';
import { type TargetOptions, targetOf } from './request-target.ts';

const MOST_REDIRECTS = 3;
const DEFAULT_CHARS = 50_000;
const MOST_CHARS = 200_000;

export interface FetchLimits {
  readonly totalMs: number;
  readonly idleMs: number;
  readonly bytes: number;
}

export const FETCH_LIMITS: FetchLimits = { totalMs: 30_000, idleMs: 10_000, bytes: 2 * 1024 * 1024 };

export interface FetchOptions extends TargetOptions {
  readonly policy: Policy;
  readonly limits: FetchLimits;
}

const schema = z.object({
  url: z.string().min(1, 'must not be empty').max(8192, 'is too long').describe('An http or https address.'),
  maxChars: z
    .int()
    .min(100)
    .max(MOST_CHARS)
    .optional()
    .describe(`How much of the text to show at most; ${DEFAULT_CHARS} if not given.`),
});

/** The tool `web_fetch`. */
export function webFetchTool(options: FetchOptions): Tool {
  return defineTool({
    name: 'web_fetch',
    description:
      'Fetches a page or file from the web and shows it as text; HTML becomes Markdown. Only public addresses, only GET, nothing is logged in to.',
    schema,
    effect: 'network',
    subjects: ({ url }) => [{ kind: 'url', value: url }],
    run: (input, context) => runFetch(input, context, options),
  });
}

async function runFetch(
  input: z.output<typeof schema>,
  context: ToolContext,
  options: FetchOptions,
): Promise<Outcome> {
  const timeout = AbortSignal.timeout(options.limits.totalMs);
  const signal = AbortSignal.any([context.signal, timeout]);
  try {
    const answer = await orAbort(fetchFollowing(input.url, signal, context, options), signal);
    return await orAbort(toOutcome(answer, input.maxChars ?? DEFAULT_CHARS), signal);
  } catch (error) {
    if (context.signal.aborted) return cancelledOutcome();
    if (timeout.aborted)
      return errorOutcome(`${input.url} took longer than ${options.limits.totalMs} ms; it was given up.`);
    return errorOutcome(`${input.url} could not be fetched: ${firstLineOf(error)}`);
  }
}

interface Answer {
  readonly url: URL;
  readonly status: number;
  readonly type: string;
  readonly body: Body;
}

async function fetchFollowing(
  first: string,
  signal: AbortSignal,
  context: ToolContext,
  options: FetchOptions,
): Promise<Answer> {
  let address = first;
  for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects += 1) {
    const target = await targetOf(address, options);
    if (redirects > 0) refuseUnpermitted(target.url, context, options.policy);
    signal.throwIfAborted();
    const message = await sendRequest(target, signal);
    const status = message.statusCode ?? 0;
    const { location } = message.headers;
    if (location === undefined || status < 300 || status > 399) {
      const type = (message.headers['content-type'] ?? '').toLowerCase();
      return { url: target.url, status, type, body: await readBody(message, options.limits) };
    }
    message.destroy();
    address = URL.parse(location, target.url.href)?.href ?? location;
  }
  throw new Error(`it redirects more than ${MOST_REDIRECTS} times.`);
}

/** The policy applies to each URL of a chain of redirects. */
function refuseUnpermitted(url: URL, { directory }: ToolContext, policy: Policy): void {
  const subject = { kind: 'url', value: url.href } as const;
  const verdict = decideCall(policy, { name: 'web_fetch', effect: 'network' }, [subject], directory);
  if (verdict.decision === 'allow') return;
  throw new Error(`it redirects to ${url.href}, which is not permitted. ${verdict.reason}`);
}

async function toOutcome({ url, status, type, body }: Answer, maxChars: number): Promise<Outcome> {
  const form = formOf(type, body.bytes);
  const kind = type.split(';', 1)[0] || 'unknown type';
  if (form === 'binary') {
    const size = `${body.cut ? 'more than ' : ''}${sizeText(body.bytes.length)}`;
    return errorOutcome(`${url.href} is not text but ${kind} (${size}).`);
  }
  const decoded = decodeText(body.bytes, type);
  const text = form === 'html' ? await htmlToText(decoded, url, maxChars) : decoded;
  const isCut = body.cut || text.length > maxChars;
  const shown = text.slice(0, maxChars).toWellFormed();
  const head = `${url.href} (status ${status}, ${kind})`;
  const notes = isCut ? `\n\n(Cut: only the first ${shown.length} characters are shown.)` : '';
  return (status >= 400 ? errorOutcome : successOutcome)(
    `${head}\n\n${shown === '' ? '(no text)' : shown}${notes}`,
  );
}
