import { readFile } from 'node:fs/promises';
import type { Attachment } from '@plugboard/host';
import type { Clock } from '../../clock.ts';
import type { Secret } from '../../config/secret.ts';
import {
  type Channel,
  type HookReply,
  type HookRequest,
  type Ingress,
  type Outgoing,
  SendError,
} from '../channel.ts';
import type { ChannelGiven, Proof } from '../kind.ts';
import { readIncoming } from './inbound.ts';
import { type Posted, postJson } from './post.ts';
import type { WebhookSettings } from './settings.ts';
import { secretProblem, signWebhook, webhookProblem } from './signature.ts';

/** Edits have no delivery whose id they could carry. */
let posts = 0;

const EDIT_MS = 30_000;

/** A channel whose messages are signed posts, in and out. */
export function create({ name, settings, progress, clock }: ChannelGiven<WebhookSettings>): Channel {
  let ingress: Ingress | undefined;
  const post = createPost(settings, clock);
  const { edits, drops_repeats: dropsRepeats } = settings;
  return {
    name,
    limits: {
      readsLog: false,
      textLength: settings.text_length,
      media: true,
      buttons: settings.buttons,
      progress,
      ...(edits ? { editIntervalMs: 1_000 } : {}),
    },
    async start(given) {
      const problem = secretProblem(secretOf(settings).reveal());
      if (problem !== undefined) throw new SendError('never', problem, { stopsChannel: true });
      ingress = given;
    },
    async send(place, body, { id, signal }) {
      const said = { type: 'message', id, place, ...(await contentOf(body)) };
      return { platformId: platformIdOf(await post(id, said, signal)) ?? id };
    },
    async stop() {
      ingress = undefined;
    },
    async receiveHook(request) {
      return ingress === undefined ? { status: 503 } : takeHook(settings, nowSecs(clock), ingress, request);
    },
    ...(edits ? { edit: editMessage(post) } : {}),
    // The program drops an id that it has seen: sent again, a message is shown once.
    ...(dropsRepeats ? { resolve: async () => 'pending' as const } : {}),
  };
}

function editMessage(post: Post): NonNullable<Channel['edit']> {
  return async (place, platformId, body) => {
    posts += 1;
    const said = { type: 'edit', place, platformId, ...(await contentOf(body)) };
    await post(`edit-${process.pid}-${posts}`, said, AbortSignal.timeout(EDIT_MS));
  };
}

function secretOf({ secret }: WebhookSettings): Secret {
  return secret;
}

async function takeHook(
  settings: WebhookSettings,
  now: number,
  ingress: Ingress,
  { method, headers, body }: HookRequest,
): Promise<HookReply> {
  if (method !== 'POST') return { status: 405, body: 'Post a signed message.' };
  const problem = webhookProblem(secretOf(settings).reveal(), headers, now, body);
  if (problem !== undefined) return { status: 401, body: problem };
  const incoming = readIncoming(body, String(headers['webhook-id']));
  if (typeof incoming === 'string') return { status: 400, body: incoming };
  if (incoming.type === 'press') {
    const pressed = await ingress.press(incoming.press);
    return { status: 200, body: JSON.stringify(pressed), type: 'application/json' };
  }
  if (incoming.type === 'report') {
    const { id, state, problem: why } = incoming;
    await ingress.report(id, state === 'sent' ? { state } : { state, problem: why });
    return { status: 204 };
  }
  // Settles once the message is on the disk: only then may the program forget it.
  const taken = await ingress.receive(incoming.message);
  // The person is told of other refusals in their place; this one is a mistake of the program, and nobody else hears of it.
  if (taken.kind === 'refused' && taken.code === 'reused') return { status: 409, body: taken.message };
  return { status: 204 };
}

async function contentOf({ kind, text, media, buttons, asksText }: Outgoing): Promise<object> {
  return {
    kind,
    text,
    media: await Promise.all(media.map(readMedia)),
    buttons: buttons ?? [],
    asksText: asksText === true,
  };
}

async function readMedia({ name, kind, path, url }: Attachment): Promise<object> {
  const data = path === undefined ? {} : { data: (await readFile(path)).toString('base64') };
  return { name, kind, ...data, ...(path === undefined && url !== undefined ? { url } : {}) };
}

/** Posts something under an id. Rejects with a `SendError`. */
type Post = (id: string, said: object, signal: AbortSignal) => Promise<Posted>;

function createPost(settings: WebhookSettings, clock: Clock): Post {
  return async (id, said, signal) => {
    const body = JSON.stringify(said);
    const headers = { ...signWebhook(secretOf(settings).reveal(), id, nowSecs(clock), body) };
    const posted = await postJson(settings.url, { headers, body, mayBePrivate: settings.private, signal });
    const problem = problemOf(posted);
    if (problem !== undefined) throw problem;
    return posted;
  };
}

function nowSecs(clock: Clock): number {
  return Math.floor(clock.date() / 1000);
}

/** What a status proves: 2xx sent; 408, 425, 429 and 503 not yet; other 4xx never; the rest may have arrived. */
function problemOf({ status, retryAfterMs }: Posted): SendError | undefined {
  if (status >= 200 && status < 300) return undefined;
  const message = `The address answered ${status}.`;
  if (status === 410) return new SendError('never', `${message} It wants no more.`, { stopsChannel: true });
  if ([408, 425, 429, 503].includes(status))
    return new SendError('later', message, retryAfterMs === undefined ? {} : { afterMs: retryAfterMs });
  if (status >= 300 && status < 500) return new SendError('never', message);
  return new SendError('unknown', message);
}

/** An answer may name the message, for edits: `{ "platformId": "…" }`. */
function platformIdOf({ body }: Posted): string | undefined {
  try {
    const value: unknown = JSON.parse(body);
    const id = (value as { platformId?: unknown } | null)?.platformId;
    return typeof id === 'string' && id !== '' ? id : undefined;
  } catch {
    return undefined;
  }
}

/** There is nobody to ask: the first message shows whether the other side has the same secret. */
export async function prove({ settings }: Pick<ChannelGiven<WebhookSettings>, 'settings'>): Promise<Proof> {
  const problem = secretProblem(secretOf(settings).reveal());
  if (problem !== undefined) throw new Error(problem);
  return { name: new URL(settings.url).host, remarks: [] };
}
