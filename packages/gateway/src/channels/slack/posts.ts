import type { Clock } from '../../clock.ts';
import type { Channel, Outgoing, Resolved, SendContext, Sent } from '../channel.ts';
import { type Attempt, type Attempts, createAttempts } from './attempts.ts';
import type { SlackAnswer, SlackCalls } from './calls.ts';
import { findDelivery, METADATA_TYPE } from './find-delivery.ts';
import { textAt } from './json.ts';
import { messageOf, plainMessageOf, type SlackMessage } from './message.ts';
import { readPlace } from './place.ts';
import { SlackCallError } from './problems.ts';
import type { QuestionPlaces } from './questions.ts';
import { sendFiles } from './send-files.ts';
import { createStatus, type Status } from './status.ts';

/** The members of a channel that send. */
export type Posts = Required<Pick<Channel, 'send' | 'edit' | 'typing' | 'resolve'>>;

export interface PostsOptions {
  readonly calls: SlackCalls;
  readonly clock: Clock;
  readonly questions: QuestionPlaces;
}

interface State extends PostsOptions {
  readonly attempts: Attempts;
  readonly status: Status;
}

export function createPosts(options: PostsOptions): Posts {
  const state: State = { ...options, attempts: createAttempts(), status: createStatus(options.calls) };
  return {
    send: (place, body, context) => sendMessage(state, place, body, context),
    edit: (place, platformId, body) => editMessage(state, place, platformId, body),
    typing: (place) => state.status.show(place),
    resolve: (place, body, context) => resolveMessage(state, place, body, context),
  };
}

async function sendMessage(state: State, place: string, body: Outgoing, context: SendContext): Promise<Sent> {
  const { calls, attempts, clock, status } = state;
  const attempt = attempts.begin(context.id);
  // Slack clears the status when `chat.postMessage` succeeds.
  status.forget(place);
  try {
    if (body.media.length > 0) return await sendFiles(calls, { place, body, context, attempt });
    return await postMessage(state, place, body, context);
  } catch (error) {
    noteFailure(attempt, clock);
    throw error;
  }
}

function noteFailure(attempt: Attempt, clock: Clock): void {
  attempt.failedAt = clock.now();
}

async function postMessage(
  state: State,
  place: string,
  body: Outgoing,
  { id, signal }: SendContext,
): Promise<Sent> {
  const { channel, thread } = readPlace(place);
  const { calls } = state;
  const fixed = {
    channel,
    ...(thread === undefined ? {} : { thread_ts: thread }),
    unfurl_links: false,
    unfurl_media: false,
  };
  const metadata = { event_type: METADATA_TYPE, event_payload: { id } };
  const answer = await orPlain(body, ({ text, blocks }, refused = '') =>
    calls.call(
      'chat.postMessage',
      {
        ...fixed,
        text,
        ...(blocks.length === 0 ? {} : { blocks }),
        ...(refused.startsWith('invalid_metadata') ? {} : { metadata }),
      },
      signal,
    ),
  );
  const ts = textAt(answer, 'ts');
  if (ts === undefined)
    throw new SlackCallError('unknown', 'The answer to chat.postMessage names no message.', {});
  noteQuestion(state, place, body, ts);
  return { platformId: ts };
}

async function resolveMessage(
  state: State,
  place: string,
  body: Outgoing,
  context: SendContext,
): Promise<Resolved> {
  const found = await findDelivery({ ...state, place, body, context });
  if (typeof found === 'object') noteQuestion(state, place, body, found.platformId);
  return found;
}

function noteQuestion({ questions }: State, place: string, { kind }: Outgoing, ts: string | undefined): void {
  const { channel, thread } = readPlace(place);
  if (kind === 'question' && thread === undefined && ts !== undefined) questions.add(channel, ts, place);
}

async function editMessage(
  { calls, questions, status }: State,
  place: string,
  platformId: string,
  body: Outgoing,
): Promise<void> {
  const { channel } = readPlace(place);
  await orPlain(body, ({ text, blocks }) =>
    calls.call('chat.update', { channel, ts: platformId, text, blocks }),
  );
  if (body.kind === 'question' && (body.buttons ?? []).length === 0) questions.remove(channel, platformId);
  await status.clear(place);
}

/** Retries once with `plainMessageOf` after `isFormRefused`, which proves that no message was shown. */
async function orPlain(
  body: Outgoing,
  attempt: (message: SlackMessage, refused?: string) => Promise<SlackAnswer>,
): Promise<SlackAnswer> {
  try {
    return await attempt(messageOf(body));
  } catch (error) {
    if (!(error instanceof SlackCallError) || !error.isFormRefused) throw error;
    return await attempt(plainMessageOf(body), error.word);
  }
}
