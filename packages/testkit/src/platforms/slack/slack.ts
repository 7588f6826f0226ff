import type { FakePlatform, ShownMessage } from '../fake-platform.ts';
import { startFakeServer } from '../fake-server.ts';
import { createDispatch, type DispatchOptions, type SlackEnvelope } from './dispatch.ts';
import { createFileStore } from './files.ts';
import { findPings, readMrkdwn } from './mrkdwn.ts';
import { createPeople, type SlackPeople, type SlackSpeaker } from './people.ts';
import { createSockets, type SlackSockets } from './sockets.ts';
import { createWebApi, type WebApi } from './web-api.ts';
import { createWorkspace, placeOf, readPlace, type StoredMessage, type Workspace } from './workspace.ts';

/** Slack with one workspace and one app, over the Web API, Socket Mode and signed requests. */
export interface FakeSlack
  extends FakePlatform,
    Omit<SlackPeople, 'say' | 'press'>,
    Pick<WebApi, 'views' | 'ephemerals' | 'statuses'> {
  readonly workspace: Workspace;
  readonly sockets: SlackSockets;
  /** A channel with several people in it. */
  readonly room: string;
  /** All events, interactions and commands of the app. */
  readonly envelopes: readonly SlackEnvelope[];
  say(text: string, from?: SlackSpeaker & { readonly twin?: boolean }): string;
  /** Like `press`; settles when the press is acknowledged or Slack has given it up. */
  pressNow: SlackPeople['press'];
  /** Mentions people in `room`: `app_mention` and its twin `message`. */
  mention(text: string, from?: SlackSpeaker): string;
  /** A message is deleted. */
  remove(platformId: string): void;
  /** Unescaped mentions in messages of a place, which notify people. */
  pings(place?: string): readonly string[];
}

export interface FakeSlackOptions extends DispatchOptions {
  /** Most posts of one channel in a second; more are answered with 429. No limit when absent. */
  readonly postsPerSecond?: number;
}

const PERSON = 'U0000PERSON';
const HOME = 'D0000HOME';
const ROOM = 'C0000ROOM';

export async function startFakeSlack(options: FakeSlackOptions = {}): Promise<FakeSlack> {
  const workspace = createWorkspace();
  const sockets = createSockets(workspace, {
    onFrame: ({ envelope_id: id, payload }) => dispatch.acknowledge(String(id), payload),
    onOpen: () => dispatch.flush(),
    onClose: (socket) => dispatch.lost(socket),
  });
  const dispatch = createDispatch(workspace, () => sockets, options);
  const files = createFileStore(workspace, () => server.url);
  const api = createWebApi(workspace, { files, newAddress: () => sockets.newAddress(server.url) });
  const isTooFast = createRateLimit(options.postsPerSecond);
  const server = await startFakeServer({
    answer: (call) => {
      const isPost = call.path === '/api/chat.postMessage';
      if (isPost && isTooFast(new URLSearchParams(call.body.toString()).get('channel') ?? ''))
        return { status: 429, headers: { 'retry-after': '1' }, body: { ok: false, error: 'ratelimited' } };
      return files.answer(call) ?? api.answer(call);
    },
    upgrade: sockets.upgrade,
  });
  const home = { place: HOME, person: PERSON };
  const people = createPeople(workspace, { files, dispatch, home, command: '/plugboard' });
  return {
    server,
    settings: settingsOf(workspace, server.url, options.hook !== undefined),
    ...home,
    room: ROOM,
    workspace,
    sockets,
    envelopes: dispatch.envelopes,
    ...{ views: api.views, ephemerals: api.ephemerals, statuses: api.statuses },
    ...people,
    press: (...pressed) => void people.press(...pressed),
    pressNow: people.press,
    mention: (text, from) =>
      people.say(`<@${workspace.botUser}> ${text}`, { place: ROOM, ...from, twin: true }),
    remove(platformId) {
      const at = workspace.messages.findIndex(({ ts }) => ts === platformId);
      if (at !== -1) workspace.messages.splice(at, 1);
    },
    shown: (place = HOME) => messagesIn(workspace, place).map(shownOf),
    pings: (place = HOME) => messagesIn(workspace, place).flatMap(pingsOf),
    isAcknowledged: (messageId) =>
      dispatch.envelopes.some(
        ({ payload, ackedAt }) =>
          ackedAt !== undefined && (payload.event as { ts?: string } | undefined)?.ts === messageId,
      ),
    async [Symbol.asyncDispose]() {
      dispatch.stop();
      await server.down();
    },
  };
}

function settingsOf({ botToken, appToken, signingSecret }: Workspace, url: string, isHttp: boolean) {
  const both = { bot_token: botToken, api: `${url}/api/` };
  return isHttp
    ? { ...both, mode: 'http', signing_secret: signingSecret }
    : { ...both, mode: 'socket', app_token: appToken };
}

/** `place` is a channel, or `CHANNEL:THREAD_TS` for the replies of a thread. */
function messagesIn({ messages, botId }: Workspace, place: string): StoredMessage[] {
  const { channel } = readPlace(place);
  return messages.filter((one) => one.channel === channel && one.bot_id === botId && placeOf(one) === place);
}

function shownOf({ ts, text, blocks, files }: StoredMessage): ShownMessage {
  const sections = blocks.flatMap(({ text: section }) => (section === undefined ? [] : [section.text]));
  const shown = sections.length === 0 ? text : sections.join('\n');
  return {
    platformId: ts,
    text: readMrkdwn(shown),
    files: files.map(({ name }) => name),
    buttons: blocks.flatMap(({ elements = [] }) => elements.map((one) => one.text?.text ?? '')),
  };
}

function pingsOf({ text, blocks }: StoredMessage): readonly string[] {
  return [text, ...blocks.map((block) => block.text?.text ?? '')].flatMap(findPings);
}

function createRateLimit(most = Number.POSITIVE_INFINITY): (channel: string) => boolean {
  const posts = new Map<string, number[]>();
  return (channel) => {
    const now = performance.now();
    const recent = (posts.get(channel) ?? []).filter((at) => now - at < 1_000);
    posts.set(channel, recent);
    if (recent.length >= most) return true;
    recent.push(now);
    return false;
  };
}
