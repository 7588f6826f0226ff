import { reasonOf } from '@plugboard/protocol';
import type { Update } from 'grammy/types';
import { type Clock, sleep } from '../../clock.ts';
import type { Logger } from '../../log.ts';
import type { Client } from './client.ts';
import { ALLOWED_UPDATES, type Attempt, type Intake, logNotKept } from './intake.ts';
import { TelegramError } from './telegram-error.ts';
import { isUpdate } from './update.ts';

/** `timeout` of `getUpdates`; Telegram holds it for 50 s at most. */
const HOLD_SECS = 30;

/** Time for the answer beyond `HOLD_SECS`: a connection that was lost silently is noticed then. */
const SLACK_MS = 15_000;

/** Interval of `getUpdates` while `receive` is pending for earlier updates. */
const LOOK_MS = 1_000;

/** Wait after the first failure; it doubles with each further one. */
const FIRST_WAIT_MS = 250;
const MOST_WAIT_MS = 30_000;

const BATCH = 100;

export interface PollOptions {
  readonly name: string;
  readonly client: Client;
  readonly intake: Intake;
  readonly clock: Clock;
  readonly log: Logger;
  readonly signal: AbortSignal;
  /** The token was refused. */
  readonly onRefused: (reason: string) => void;
}

/** Unconfirmed updates by `update_id`, in the order of `getUpdates`; true when `receive` has resolved. */
type Given = Map<number, boolean>;

/** Asks for updates until `signal` is aborted. An update is confirmed when it is kept, and so are all before it. */
export async function pollUpdates(options: PollOptions): Promise<void> {
  const { clock, signal, intake } = options;
  const given: Given = new Map();
  const work = new Set<Promise<void>>();
  let offset: number | undefined;
  let failures = 0;
  while (!signal.aborted) {
    const at = clock.now();
    const answer = await getUpdates(options, offset, given.size > 0 ? 0 : HOLD_SECS).catch(failedAnswer);
    if (signal.aborted) return;
    for (const update of answer.updates)
      if (!given.has(update.update_id)) begin(options, update, given, work);
    if (answer.problem === undefined) intake.albums.polled(at);
    await settledOrLater(options, work);
    if (answer.updates.length > 0 || answer.problem === undefined) offset = nextOffset(given);
    failures = answer.problem === undefined ? 0 : failures + 1;
    if (answer.problem !== undefined && !(await recover(options, answer.problem, failures))) return;
  }
}

interface Answer {
  readonly updates: readonly Update[];
  /** The request failed, or its answer was malformed: the next request has to wait. */
  readonly problem: TelegramError | undefined;
}

function failedAnswer(error: unknown): Answer {
  const problem = error instanceof TelegramError ? error : new TelegramError('later', reasonOf(error));
  return { updates: [], problem };
}

const NO_LIST = 'The answer to getUpdates is not a list of updates.';

/** Leaves out entries without `update_id`: they cannot be confirmed, and come again with each request. */
function readAnswer(value: unknown): Answer {
  if (!Array.isArray(value)) return { updates: [], problem: new TelegramError('later', NO_LIST) };
  const updates = value.filter(isUpdate);
  const isWhole = updates.length === value.length;
  return { updates, problem: isWhole ? undefined : new TelegramError('later', NO_LIST) };
}

async function getUpdates(
  { client, signal }: PollOptions,
  offset: number | undefined,
  holdSecs: number,
): Promise<Answer> {
  const from = offset === undefined ? {} : { offset };
  const value: unknown = await client.call(
    (raw, ending) =>
      raw.getUpdates({ ...from, timeout: holdSecs, limit: BATCH, allowed_updates: ALLOWED_UPDATES }, ending),
    { signal, ms: holdSecs * 1000 + SLACK_MS },
  );
  return readAnswer(value);
}

function begin(options: PollOptions, update: Update, given: Given, work: Set<Promise<void>>): void {
  const { update_id: id } = update;
  given.set(id, false);
  const taken = options.intake
    .take(update, untilKept(options))
    .then(
      () => void given.set(id, true),
      // Rejected by the end of the channel alone: the update stays unconfirmed.
      () => {},
    )
    .finally(() => work.delete(taken));
  work.add(taken);
}

/** Repeats a commit until it succeeds: the next request for updates would give the same update, but only 3 s later. */
function untilKept(options: PollOptions): Attempt {
  const { clock, signal } = options;
  return async (run) => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await run();
      } catch (error) {
        if (signal.aborted) throw error;
        logNotKept(options, error);
        await sleep(clock, waitAfter(attempt), signal);
        if (signal.aborted) throw error;
      }
    }
  };
}

function waitAfter(failures: number): number {
  return Math.min(FIRST_WAIT_MS * 2 ** Math.min(failures - 1, 10), MOST_WAIT_MS);
}

/** Waits until all updates are kept, at most `LOOK_MS`. */
async function settledOrLater(
  { clock, signal }: PollOptions,
  work: ReadonlySet<Promise<void>>,
): Promise<void> {
  if (work.size === 0) return;
  const wait = new AbortController();
  const end = (): void => wait.abort();
  signal.addEventListener('abort', end);
  void Promise.all(work).then(end);
  await sleep(clock, LOOK_MS, wait.signal);
  signal.removeEventListener('abort', end);
}

/**
 * The `offset` that confirms all updates before the first pending one. Undefined when all are confirmed: after a week
 * without updates Telegram restarts `update_id` at a random number, and an old `offset` would discard lower ones.
 */
function nextOffset(given: Given): number | undefined {
  let last: number | undefined;
  for (const [id, isKept] of given) {
    if (!isKept) return id;
    given.delete(id);
    last = id;
  }
  return last === undefined ? undefined : last + 1;
}

/** False when polling cannot go on. */
async function recover(options: PollOptions, error: TelegramError, failures: number): Promise<boolean> {
  const { clock, signal, onRefused, log, name } = options;
  if (error.stopsChannel) {
    onRefused(error.message);
    return false;
  }
  const retryAfterMs = Math.max(error.afterMs ?? 0, waitAfter(failures));
  if (error.status === 409) await endConflict(options, error);
  else
    log.warn(`Telegram cannot be asked for messages: ${error.message}`, {
      code: 'telegram-poll-failed',
      channel: name,
      retryAfterMs,
    });
  await sleep(clock, retryAfterMs, signal);
  return !signal.aborted;
}

/** A webhook is removed, since the configuration says that this channel polls. Two programs that poll cut each other off. */
async function endConflict(
  { client, signal, log, name }: PollOptions,
  { message }: TelegramError,
): Promise<void> {
  const isWebhookSet = /webhook/i.test(message);
  const sentence = isWebhookSet
    ? 'A webhook was set for this bot: it is removed, because this channel polls.'
    : 'Another program asks for the messages of this bot: stop one of the two.';
  log.warn(sentence, { code: 'telegram-conflict', channel: name });
  if (isWebhookSet)
    await client.call((raw, ending) => raw.deleteWebhook({}, ending), { signal }).catch(() => {});
}
