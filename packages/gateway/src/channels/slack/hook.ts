import type { Clock } from '../../clock.ts';
import type { HookReply, HookRequest } from '../channel.ts';
import { resultInTime } from './deadline.ts';
import type { Acknowledgement } from './interactions.ts';
import { isRecord, type Json, textAt } from './json.ts';
import { slackSignatureProblem } from './signature.ts';

/** Takes events, interactions and commands of both modes. Each resolves when Slack may be acknowledged. */
export interface EventSink {
  takeEvent(payload: Json): Promise<void>;
  takeInteraction(payload: Json): Promise<Acknowledgement>;
  takeCommand(payload: Json): Promise<Acknowledgement>;
}

interface HookOptions {
  readonly secret: string;
  readonly clock: Clock;
  readonly sink: EventSink;
}

const LONGEST_CHALLENGE = 500;

/** Answers a signed request of Slack: an event, an interaction, a slash command, or the check of the address. */
export async function takeHook(
  request: HookRequest,
  { secret, clock, sink }: HookOptions,
): Promise<HookReply> {
  if (request.method !== 'POST') return { status: 405, body: 'Slack posts here.' };
  const problem = slackSignatureProblem(secret, request, Math.floor(clock.date() / 1000));
  if (problem !== undefined) return { status: 401, body: problem };
  const text = Buffer.from(request.body).toString();
  const type = String(request.headers['content-type'] ?? '');
  if (type.startsWith('application/x-www-form-urlencoded')) return takeFormFields(text, sink);
  const payload = parseJson(text);
  if (payload === undefined) return { status: 400, body: 'The body is not JSON.' };
  if (payload.type === 'url_verification') return echoChallenge(payload);
  if (payload.type !== 'event_callback') return { status: 200 };
  const taken = sink.takeEvent(payload).then(() => true);
  taken.catch(() => {});
  // Slack redelivers after 3 s without an answer; the redelivery is answered with 200 once `taken` has resolved.
  const isKept = await resultInTime(clock, taken);
  return isKept === true ? { status: 200 } : { status: 503, body: 'It is not kept yet.' };
}

async function takeFormFields(text: string, sink: EventSink): Promise<HookReply> {
  const fields = Object.fromEntries(new URLSearchParams(text));
  const payload = fields.payload === undefined ? undefined : parseJson(fields.payload);
  if (fields.payload !== undefined && payload === undefined)
    return { status: 400, body: 'The payload is not JSON.' };
  const answer = payload === undefined ? await sink.takeCommand(fields) : await sink.takeInteraction(payload);
  return answer === undefined
    ? { status: 200 }
    : { status: 200, body: JSON.stringify(answer), type: 'application/json' };
}

function echoChallenge(payload: Json): HookReply {
  const challenge = textAt(payload, 'challenge');
  if (challenge === undefined || challenge.length > LONGEST_CHALLENGE)
    return { status: 400, body: 'There is no challenge.' };
  return { status: 200, body: challenge };
}

function parseJson(text: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
