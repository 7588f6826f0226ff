import { randomUUID } from 'node:crypto';
import type { WebSocket } from 'ws';
import { hookBody, type SlackHook, signSlackRequest } from './hook.ts';
import type { SlackSockets } from './sockets.ts';
import type { Workspace } from './workspace.ts';

type Payload = Readonly<Record<string, unknown>>;

/** An event, interaction or command on its way to the app. */
export interface SlackEnvelope {
  readonly id: string;
  readonly type: 'events_api' | 'interactive' | 'slash_commands';
  readonly payload: Payload;
  /** Number of earlier deliveries: `retry_attempt`. */
  attempt: number;
  /** When it was given for the first time, and when it was acknowledged, by `performance.now()`. */
  readonly at: number;
  ackedAt?: number;
  /** Payload of the acknowledgement. */
  answer?: unknown;
}

export interface DispatchOptions {
  /** Time for an acknowledgement; 3 s when absent. */
  readonly ackMs?: number;
  /** Waits before an event is given again. Slack: at once, after 1 and after 5 minutes. */
  readonly retryMs?: readonly number[];
  /** HTTP mode: takes signed requests instead of envelopes. */
  readonly hook?: SlackHook;
}

/** Gives envelopes to the app until they are acknowledged. */
export interface Dispatch {
  readonly envelopes: readonly SlackEnvelope[];
  /** Settles when it is acknowledged, or when Slack has given it up. */
  give(type: SlackEnvelope['type'], payload: Payload): Promise<SlackEnvelope>;
  acknowledge(envelopeId: string, answer: unknown): void;
  /** Sends envelopes that wait for a connection. */
  flush(): void;
  /** Redelivers envelopes of a closed connection that were not acknowledged. */
  lost(socket: WebSocket): void;
  stop(): void;
}

interface Waiting {
  readonly envelope: SlackEnvelope;
  readonly done: (envelope: SlackEnvelope) => void;
  socket?: WebSocket | undefined;
  timer?: NodeJS.Timeout | undefined;
}

const REASON = 'timeout';

export function createDispatch(
  { signingSecret }: Workspace,
  sockets: () => SlackSockets,
  { ackMs = 3_000, retryMs = [0, 60_000, 300_000], hook }: DispatchOptions,
): Dispatch {
  const envelopes: SlackEnvelope[] = [];
  const waiting = new Map<string, Waiting>();
  const acknowledge = (id: string, answer: unknown): void => {
    const { envelope, timer, done } = waiting.get(id) ?? {};
    if (envelope === undefined || done === undefined) return;
    clearTimeout(timer);
    waiting.delete(id);
    envelope.ackedAt = performance.now();
    if (answer !== undefined) envelope.answer = answer;
    done(envelope);
  };
  const giveAgain = (one: Waiting): void => {
    const wait = one.envelope.type === 'events_api' ? retryMs[one.envelope.attempt] : undefined;
    clearTimeout(one.timer);
    one.socket = undefined;
    if (wait === undefined) {
      waiting.delete(one.envelope.id);
      return one.done(one.envelope);
    }
    one.envelope.attempt += 1;
    one.timer = setTimeout(() => giveNow(one), wait).unref();
  };
  const giveNow = (one: Waiting): void => {
    const { envelope } = one;
    clearTimeout(one.timer);
    one.timer = setTimeout(() => giveAgain(one), ackMs).unref();
    if (hook !== undefined) return void post(hook, one);
    one.socket = sockets().send(frameOf(envelope));
    // Without a connection it waits for `flush`.
    if (one.socket === undefined) clearTimeout(one.timer);
  };
  const post = async (to: SlackHook, one: Waiting): Promise<void> => {
    const { id, type, payload, attempt } = one.envelope;
    const { body, type: contentType } = hookBody(type, payload);
    const retry =
      attempt === 0 ? {} : { 'x-slack-retry-num': String(attempt), 'x-slack-retry-reason': 'http_error' };
    const request = signSlackRequest(signingSecret, body, Math.floor(Date.now() / 1000), {
      'content-type': contentType,
      ...retry,
    });
    const reply = await to(request).catch(() => undefined);
    if (reply?.status === 200) acknowledge(id, answerIn(reply.body));
    else if (waiting.has(id)) giveAgain(one);
  };
  return {
    envelopes,
    acknowledge,
    give(type, payload) {
      const envelope: SlackEnvelope = { id: randomUUID(), type, payload, attempt: 0, at: performance.now() };
      envelopes.push(envelope);
      return new Promise((done) => {
        const one = { envelope, done };
        waiting.set(envelope.id, one);
        giveNow(one);
      });
    },
    flush() {
      for (const one of waiting.values()) if (one.socket === undefined && hook === undefined) giveNow(one);
    },
    lost(socket) {
      for (const one of waiting.values()) if (one.socket === socket) giveAgain(one);
    },
    stop() {
      for (const { timer } of waiting.values()) clearTimeout(timer);
      waiting.clear();
    },
  };
}

function frameOf({ id, type, payload, attempt }: SlackEnvelope): object {
  const retry =
    type === 'events_api' ? { retry_attempt: attempt, retry_reason: attempt === 0 ? '' : REASON } : {};
  return { envelope_id: id, type, payload, accepts_response_payload: type !== 'events_api', ...retry };
}

function answerIn(body = ''): unknown {
  if (body === '') return undefined;
  try {
    return JSON.parse(body);
  } catch {
    return { text: body };
  }
}
