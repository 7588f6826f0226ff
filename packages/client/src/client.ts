import type { Answer, OptionValue } from '@plugboard/protocol';
import { followLog, type LogStep } from './log.ts';
import { insist, type PatienceOptions } from './patience.ts';
import {
  type ClientOptions,
  parseJson,
  type RequestOptions,
  readJson,
  requestJson,
  sendRequest,
} from './request.ts';
import type {
  Accepted,
  AgentView,
  AskView,
  ChannelView,
  Commanded,
  DeliveryState,
  DeliveryView,
  EventView,
  MediaView,
  NodeView,
  OptionsView,
  PersonView,
  Replay,
  SessionView,
  TurnRecord,
  TurnView,
} from './shapes.ts';
import { followStream, type StreamOptions } from './stream.ts';

/** A message to send. */
export interface NewMessage {
  readonly text: string;
  /** Names the message for ever: sent again with the same `id`, it is not said twice. One is made where it is missing. */
  readonly id?: string;
  /** Ids of `media.upload`, of the same session. */
  readonly attachments?: readonly { readonly media: string }[];
}

/** A page of a list: `next` is the `cursor` of the page after it, null on the last one. */
interface Paging {
  readonly limit?: number;
  readonly cursor?: string | undefined;
  readonly signal?: AbortSignal;
}

export interface SessionQuery extends Paging {
  /** Words that the session must have said; title and messages are searched. */
  readonly search?: string | undefined;
  readonly from?: 'people' | 'programs';
}

export interface DeliveryQuery extends Paging {
  readonly state?: DeliveryState | undefined;
  readonly session?: string | undefined;
}

export interface AskQuery extends Paging {
  readonly state?: AskView['state'] | undefined;
  readonly session?: string | undefined;
}

/** One change that `feed` reports: a session that is new or different, or all agents after a reload. */
export type FeedStep =
  | { readonly type: 'session'; readonly session: SessionView }
  | { readonly type: 'agents'; readonly agents: readonly AgentView[] };

const session = (id: string): string => `/api/sessions/${encodeURIComponent(id)}`;
const turn = (id: string): string => `/api/turns/${encodeURIComponent(id)}`;
const question = (id: string): string => `/api/asks/${encodeURIComponent(id)}`;
const delivery = (id: string): string => `/api/deliveries/${encodeURIComponent(id)}`;

type Ask = <T>(method: string, path: string, options?: RequestOptions) => Promise<T>;

/** A client of one gateway. It holds no connection between two calls, and every call throws a `ClientError` when it fails. */
export type Client = ReturnType<typeof createClient>;

/** Makes a client. The first request goes out with the first call. */
export function createClient(options: ClientOptions) {
  const ask: Ask = (method, path, asked) => requestJson(options, method, path, asked);
  return {
    /** Any other route of docs/http.md, as `request<{ name: string }>('GET', '/api/me')`. */
    request: ask,
    agents: {
      /** The agents that the token may use. */
      list: async () => (await ask<{ agents: readonly AgentView[] }>('GET', '/api/agents')).agents,
    },
    sessions: sessionCalls(ask),
    messages: {
      send: (id: string, message: NewMessage, patience?: PatienceOptions) =>
        sendMessage(ask, id, message, patience),
    },
    events: eventCalls(options, ask),
    /** Every change of every session, and the agents. It cannot be resumed: after a cut, call `sessions.list` again. */
    feed: (following?: StreamOptions) => followFeed(options, following),
    turns: turnCalls(ask),
    asks: askCalls(ask),
    deliveries: deliveryCalls(ask),
    channels: channelCalls(ask),
    nodes: nodeCalls(ask),
    people: peopleCalls(ask),
    media: mediaCalls(options),
  };
}

function sessionCalls(ask: Ask) {
  return {
    /** Newest first; with `search`, those in which its words were said. */
    list: ({ signal, ...query }: SessionQuery = {}) =>
      ask<{ sessions: readonly SessionView[]; next: string | null }>('GET', '/api/sessions', {
        query,
        signal,
      }),
    get: (id: string, signal?: AbortSignal) => ask<SessionView>('GET', session(id), { signal }),
    /**
     * Finds the live session of `place`, or begins one; with `begin: false` it rejects with `not-found` instead. Without
     * `place` it is always a new one.
     */
    open: (
      where: { agent?: string; place?: string; channel?: 'web' | 'cli' | 'api'; begin?: boolean } = {},
    ) => ask<SessionView>('POST', '/api/sessions', { body: where }),
    /** What its agent offers. Both lists are empty until the agent has said. */
    options: (id: string, signal?: AbortSignal) =>
      ask<OptionsView>('GET', `${session(id)}/options`, { signal }),
    /** Gives it another title, lets another agent answer, or sets options of the agent, from the next message on. */
    update: (
      id: string,
      change: { title?: string; agent?: string; options?: Readonly<Record<string, OptionValue>> },
    ) => ask<SessionView>('PATCH', session(id), { body: change }),
    /** Stops the running turn and drops the messages that wait. */
    stop: (id: string) => ask<{ stopped: boolean; dropped: number }>('POST', `${session(id)}/stop`),
    /** Ends it for good; it can still be read. */
    end: (id: string) => ask<void>('DELETE', session(id)),
  };
}

/**
 * Sends a message until it is answered, under one `id`, so that it is said once. Returns `Commanded` for a command of the gateway:
 * `/stop`, `/new`, `/status`, `/agent`, `/set`, `/help`.
 */
function sendMessage(ask: Ask, sessionId: string, message: NewMessage, patience?: PatienceOptions) {
  const body = { ...message, id: message.id ?? createId() };
  return insist(
    () =>
      ask<Accepted | Commanded>('POST', `${session(sessionId)}/messages`, { body, signal: patience?.signal }),
    patience,
  );
}

/** A random id, as for `NewMessage`. `crypto.randomUUID` is missing on pages that came over plain HTTP. */
export function createId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Whether the gateway obeyed a command instead of taking in a message. */
export function isCommanded(answer: Accepted | Commanded): answer is Commanded {
  return 'command' in answer;
}

function eventCalls(options: ClientOptions, ask: Ask) {
  const openLog = (id: string, after: number, signal: AbortSignal): Promise<Response> =>
    openStream(options, `${session(id)}/events?after=${after}`, signal);
  return {
    /** A page of the log after a number. `last` is the number of the newest event there is. */
    list: (id: string, { signal, ...query }: { after?: number; limit?: number; signal?: AbortSignal } = {}) =>
      ask<{ events: readonly EventView[]; last: number }>('GET', `${session(id)}/events`, { query, signal }),
    /** One connection to the event stream, for callers of `followLog` whose gateway moves. */
    openLog,
    /** The log as it grows, over every cut and restart of the gateway, until `signal`. `after: 0` begins with the first event. */
    follow: (
      id: string,
      { after = 0, ...following }: StreamOptions & { after?: number } = {},
    ): AsyncGenerator<LogStep> => followLog((last, signal) => openLog(id, last, signal), after, following),
  };
}

function openStream(options: ClientOptions, path: string, signal: AbortSignal): Promise<Response> {
  return sendRequest(options, path, { headers: { accept: 'text/event-stream' }, signal });
}

async function* followFeed(options: ClientOptions, following?: StreamOptions): AsyncGenerator<FeedStep> {
  for await (const { event, data } of followStream(
    (signal) => openStream(options, '/api/feed', signal),
    following,
  )) {
    if (event === 'session') yield { type: 'session', session: parseJson<SessionView>(data) };
    else if (event === 'agents')
      yield { type: 'agents', ...parseJson<{ agents: readonly AgentView[] }>(data) };
  }
}

function turnCalls(ask: Ask) {
  return {
    /** The turns of a session, newest first. */
    list: (sessionId: string, { signal, ...query }: Paging = {}) =>
      ask<{ turns: readonly TurnView[]; next: string | null }>('GET', `${session(sessionId)}/turns`, {
        query,
        signal,
      }),
    get: (id: string) => ask<TurnView>('GET', turn(id)),
    /** More input for a running turn; 409 `conflict` where its agent cannot take it. */
    steer: (id: string, message: Pick<NewMessage, 'id' | 'text'>) =>
      ask<{ steered: boolean }>('POST', `${turn(id)}/steer`, { body: message }),
    /** Stops this turn alone; messages that wait are answered. */
    cancel: (id: string) => ask<{ cancelled: boolean }>('POST', `${turn(id)}/cancel`),
    /** Needs the scope `inspect`. */
    record: (id: string, signal?: AbortSignal) => ask<TurnRecord>('GET', `${turn(id)}/record`, { signal }),
    replay: (id: string) => ask<Replay>('POST', `${turn(id)}/replay`),
  };
}

function askCalls(ask: Ask) {
  return {
    /** Questions of agents to people, newest first. */
    list: ({ signal, ...query }: AskQuery = {}) =>
      ask<{ asks: readonly AskView[]; next: string | null }>('GET', '/api/asks', { query, signal }),
    get: (id: string) => ask<AskView>('GET', question(id)),
    /** The first answer counts: 409 `conflict`, with who was first, for a second one. */
    answer: (id: string, answer: Pick<Answer, 'option' | 'text' | 'data'>) =>
      ask<{ id: string; option: string | null }>('POST', question(id), { body: answer }),
  };
}

/** All of them need the scope `operate`. */
function deliveryCalls(ask: Ask) {
  return {
    /** Newest first. */
    list: ({ signal, ...query }: DeliveryQuery = {}) =>
      ask<{ deliveries: readonly DeliveryView[]; next: string | null }>('GET', '/api/deliveries', {
        query,
        signal,
      }),
    get: (id: string) => ask<DeliveryView>('GET', delivery(id)),
    /** Settles an `unknown` delivery: `sent`, it has arrived; `again`, send it once more; `drop`, let it go. */
    settle: (id: string, as: 'sent' | 'again' | 'drop') =>
      ask<DeliveryView>('POST', `${delivery(id)}/settle`, { body: { as } }),
  };
}

/** All of them need the scope `operate`. */
function channelCalls(ask: Ask) {
  return {
    list: async (signal?: AbortSignal) =>
      (await ask<{ channels: readonly ChannelView[] }>('GET', '/api/channels', { signal })).channels,
    /** Makes a code that lets the first person in who sends it to the channel, within an hour. */
    invite: async (name: string) =>
      (await ask<{ code: string }>('POST', `/api/channels/${encodeURIComponent(name)}/invitations`)).code,
  };
}

/** All of them need the scope `operate`. */
function nodeCalls(ask: Ask) {
  return {
    /** The gateways on the same store, also those that ended within the last day; none where one has its store alone. */
    list: async (signal?: AbortSignal) =>
      (await ask<{ nodes: readonly NodeView[] }>('GET', '/api/nodes', { signal })).nodes,
    /** Lets a gateway take no new turns, and give its sessions and channels to the others; with `false`, the opposite. */
    drain: (name: string, draining = true) =>
      ask<{ name: string; draining: boolean }>('POST', `/api/nodes/${encodeURIComponent(name)}/drain`, {
        body: { draining },
      }),
  };
}

/** All of them need the scope `operate`. */
function peopleCalls(ask: Ask) {
  return {
    /** Newest first, at most 500. */
    list: async ({ signal, ...query }: { state?: PersonView['state']; signal?: AbortSignal } = {}) =>
      (await ask<{ people: readonly PersonView[] }>('GET', '/api/people', { query, signal })).people,
    /** Lets a person in who has asked, by the code that was given out, or by channel and id. */
    accept: (asked: { readonly code: string } | Pick<PersonView, 'channel' | 'sender'>) =>
      ask<PersonView>('POST', '/api/people', { body: asked }),
    /** Removes a person or a request. */
    remove: ({ channel, sender }: Pick<PersonView, 'channel' | 'sender'>) =>
      ask<void>('DELETE', '/api/people', { query: { channel, sender } }),
  };
}

function mediaCalls(options: ClientOptions) {
  return {
    /** Takes in a file for a message of this session. 25 MiB at most, unless the gateway is configured otherwise. */
    async upload(
      sessionId: string,
      file: {
        readonly name: string;
        readonly type?: string;
        readonly body: Blob | Uint8Array<ArrayBuffer> | string;
      },
      signal?: AbortSignal,
    ): Promise<MediaView> {
      const query = new URLSearchParams({ session: sessionId, name: file.name });
      const headers = { 'content-type': file.type || 'application/octet-stream' };
      const init = { method: 'POST', headers, body: file.body, ...(signal === undefined ? {} : { signal }) };
      return readJson(options, await sendRequest(options, `/api/media?${query}`, init), signal);
    },
    /** The bytes of a file, as the body of the answer. */
    download: (id: string, signal?: AbortSignal) =>
      sendRequest(options, `/api/media/${encodeURIComponent(id)}`, signal === undefined ? {} : { signal }),
  };
}
