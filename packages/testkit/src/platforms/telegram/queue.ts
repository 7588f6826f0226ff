import { setTimeout as sleep } from 'node:timers/promises';
import { BotApiError } from './html.ts';
import { type ApiObject, nameOfMessage, type QueuedUpdate, type World } from './world.ts';

/** Updates that wait for the bot. */
export interface UpdateQueue {
  /** Adds an update; one of a type that the bot does not ask for is dropped, unless `always`. */
  add(update: ApiObject, always?: boolean): void;
  /** `getUpdates`: waits for updates, and confirms those below `offset`. */
  take(fields: ApiObject): Promise<readonly ApiObject[]>;
  setWebhook(webhook: World['webhook']): void;
  close(): void;
}

/** The same `offset` within 500 ms gives one update. */
const REPEAT_MS = 500;

/** Types that `allowed_updates: []` leaves out. */
const NOT_BY_DEFAULT = ['chat_member', 'message_reaction', 'message_reaction_count'];

const WEBHOOK_SET =
  "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first";
const OTHER_POLLER =
  'Conflict: terminated by other getUpdates request; make sure that only one bot instance is running';

interface Waiting {
  readonly wake: () => void;
  readonly refuse: (error: Error) => void;
}

/** `holdMs` limits the time that `getUpdates` is held, beside its `timeout`. */
export function createQueue(world: World, holdMs = Infinity): UpdateQueue {
  const end = new AbortController();
  let waiting: Waiting | undefined;
  let last: { readonly offset: unknown; readonly at: number } | undefined;
  let posting = false;
  const wake = (): void => {
    waiting?.wake();
    if (!posting && world.webhook !== undefined) void post();
  };
  const post = async (): Promise<void> => {
    posting = true;
    await postUpdates(world, end.signal).finally(() => {
      posting = false;
    });
  };
  return {
    add(update, always = false) {
      const id = world.nextUpdate;
      world.nextUpdate += 1;
      const [type = ''] = Object.keys(update);
      const isAllowed =
        world.allowed.length === 0 ? !NOT_BY_DEFAULT.includes(type) : world.allowed.includes(type);
      if (!isAllowed && !always) return;
      world.updates.push({ id, type, update: { update_id: id, ...update }, ...originOf(update) });
      wake();
    },
    async take({ offset, timeout = 0, limit = 100, allowed_updates: allowed }) {
      if (world.webhook !== undefined) throw new BotApiError(409, WEBHOOK_SET);
      waiting?.refuse(new BotApiError(409, OTHER_POLLER));
      if (Array.isArray(allowed)) world.allowed = allowed as string[];
      if (typeof offset === 'number') confirmBelow(world, offset);
      const isRepeated =
        offset !== undefined && last?.offset === offset && performance.now() - last.at < REPEAT_MS;
      last = { offset, at: performance.now() };
      if (world.updates.length === 0 && Number(timeout) > 0) {
        const { promise, resolve, reject } = Promise.withResolvers<void>();
        const mine: Waiting = { wake: resolve, refuse: reject };
        waiting = mine;
        const over = new AbortController();
        const timer = sleep(Math.min(Number(timeout) * 1_000, holdMs), undefined, {
          signal: AbortSignal.any([over.signal, end.signal]),
        });
        try {
          await Promise.race([promise, timer.catch(() => {})]);
        } finally {
          over.abort();
          if (waiting === mine) waiting = undefined;
        }
      }
      return world.updates.slice(0, isRepeated ? 1 : Number(limit)).map(({ update }) => update);
    },
    setWebhook(webhook) {
      world.webhook = webhook;
      wake();
    },
    close: () => end.abort(),
  };
}

function originOf(update: ApiObject): Pick<QueuedUpdate, 'name' | 'chat'> {
  const { message } = update as { message?: { message_id: number; chat: { id: number } } };
  if (message === undefined) return { name: undefined, chat: undefined };
  return { name: nameOfMessage(message.chat.id, message.message_id), chat: message.chat.id };
}

function confirmBelow(world: World, offset: number): void {
  for (const { name } of world.updates.filter(({ id }) => id < offset))
    if (name !== undefined) world.acknowledged.add(name);
  world.updates.splice(0, world.updates.length, ...world.updates.filter(({ id }) => id >= offset));
}

/** Delay before an update is posted again that was not answered with 2xx. */
const POST_AGAIN_MS = 50;

/** Posts updates to the webhook: those of one chat one after another, each until it is answered with 2xx. */
async function postUpdates(world: World, signal: AbortSignal): Promise<void> {
  const busy = new Map<number | undefined, Promise<void>>();
  while (!signal.aborted && world.webhook !== undefined && world.updates.length > 0) {
    for (const queued of world.updates) {
      if (busy.has(queued.chat)) continue;
      const sent = postUpdate(world, queued, signal).finally(() => busy.delete(queued.chat));
      busy.set(queued.chat, sent);
    }
    await Promise.race(busy.values());
  }
  await Promise.all(busy.values());
}

async function postUpdate(world: World, queued: QueuedUpdate, signal: AbortSignal): Promise<void> {
  const { webhook, updates, acknowledged } = world;
  if (webhook === undefined) return;
  const headers = {
    'content-type': 'application/json',
    ...(webhook.secret === '' ? {} : { 'x-telegram-bot-api-secret-token': webhook.secret }),
  };
  try {
    const answer = await fetch(webhook.url, {
      method: 'POST',
      headers,
      body: JSON.stringify(queued.update),
      signal,
    });
    await answer.text();
    if (!answer.ok) throw new Error(`The webhook answered ${answer.status}.`);
    updates.splice(updates.indexOf(queued), 1);
    if (queued.name !== undefined) acknowledged.add(queued.name);
  } catch {
    await sleep(POST_AGAIN_MS, undefined, { signal }).catch(() => {});
  }
}
