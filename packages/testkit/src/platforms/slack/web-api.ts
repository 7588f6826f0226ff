import type { FakeCall, FakeReply } from '../fake-server.ts';
import type { FileStore } from './files.ts';
import { readHistory, readReplies } from './history.ts';
import { type Fields, openChannel, postMessage, updateMessage } from './posts.ts';
import { SlackProblem, type Workspace } from './workspace.ts';

/** A view of `views.open`. */
export interface OpenView {
  readonly id: string;
  readonly callback_id: string;
  readonly private_metadata: string;
  readonly title: { readonly text: string };
  readonly blocks: readonly { readonly block_id: string; readonly element: { readonly action_id: string } }[];
}

/** Call of `chat.postEphemeral`. */
interface Ephemeral {
  readonly channel: string;
  readonly user: string;
  readonly text: string;
  readonly thread_ts?: string;
}

interface ShownStatus {
  readonly channel_id: string;
  readonly thread_ts: string;
  readonly status: string;
}

/** The Web API of a workspace, with calls that leave no message. */
export interface WebApi {
  readonly views: OpenView[];
  readonly ephemerals: Ephemeral[];
  readonly statuses: ShownStatus[];
  answer(call: FakeCall): FakeReply;
}

interface Method {
  readonly scope?: string;
  run(fields: Fields): Fields;
}

export interface WebApiParts {
  readonly files: FileStore;
  /** The address of a new Socket Mode connection. */
  readonly newAddress: () => string;
}

const MOST_TITLE = 24;
const MOST_PRIVATE = 3_000;
const HISTORY = { C: 'channels:history', D: 'im:history', G: 'groups:history' } as const;

export function createWebApi(workspace: Workspace, parts: WebApiParts): WebApi {
  const [views, ephemerals, statuses]: [OpenView[], Ephemeral[], ShownStatus[]] = [[], [], []];
  const shown = { views, ephemerals, statuses };
  const methods = createMethods(workspace, parts, shown);
  return {
    ...shown,
    answer(call) {
      const headers = { 'x-oauth-scopes': [...workspace.scopes].join(',') };
      try {
        const name = call.path.replace(/^\/api\//, '');
        const fields = readFields(call);
        const method = methods[name];
        checkToken(workspace, name, call, fields);
        if (method === undefined) throw new SlackProblem('unknown_method');
        checkScope(workspace, scopeOf(name, method, fields));
        return { status: 200, headers, body: { ok: true, ...method.run(fields) } };
      } catch (error) {
        if (!(error instanceof SlackProblem)) throw error;
        return { status: 200, headers, body: { ok: false, error: error.message, ...error.fields } };
      }
    },
  };
}

function createMethods(
  workspace: Workspace,
  { files, newAddress }: WebApiParts,
  { views, ephemerals, statuses }: Pick<WebApi, 'views' | 'ephemerals' | 'statuses'>,
): Readonly<Record<string, Method>> {
  const { team, app, botUser, botId } = workspace;
  return {
    'auth.test': {
      run: () => ({
        url: 'https://fake.slack.com/',
        team: 'Fake',
        team_id: team,
        user: 'plugboard',
        user_id: botUser,
        bot_id: botId,
      }),
    },
    'apps.connections.open': { run: () => ({ url: newAddress() }) },
    'bots.info': { scope: 'users:read', run: () => ({ bot: { id: botId, app_id: app, name: 'plugboard' } }) },
    'users.info': {
      scope: 'users:read',
      run: ({ user }) => ({
        user: { id: user, name: user, profile: { display_name: `Name of ${String(user)}` } },
      }),
    },
    'chat.postMessage': { scope: 'chat:write', run: (fields) => postMessage(workspace, fields) },
    'chat.update': { scope: 'chat:write', run: (fields) => updateMessage(workspace, fields) },
    'chat.postEphemeral': {
      scope: 'chat:write',
      run: (fields) => {
        openChannel(workspace, fields.channel);
        ephemerals.push(fields as unknown as Ephemeral);
        return { message_ts: workspace.newTs() };
      },
    },
    'conversations.history': { run: (fields) => readHistory(workspace, fields) },
    'conversations.replies': { run: (fields) => readReplies(workspace, fields) },
    'files.getUploadURLExternal': { scope: 'files:write', run: files.beginUpload },
    'files.completeUploadExternal': { scope: 'files:write', run: files.completeUpload },
    'files.info': { scope: 'files:read', run: files.info },
    'assistant.threads.setStatus': {
      scope: 'chat:write',
      run: (fields) => {
        if (typeof fields.thread_ts !== 'string') throw new SlackProblem('invalid_arguments');
        statuses.push(fields as unknown as ShownStatus);
        return {};
      },
    },
    'views.open': { run: (fields) => openView(workspace, views, fields) },
  };
}

function openView(workspace: Workspace, views: OpenView[], { trigger_id: trigger, view }: Fields): Fields {
  const until = workspace.triggers.get(String(trigger));
  if (until === undefined) throw new SlackProblem('invalid_trigger_id');
  if (performance.now() > until) throw new SlackProblem('expired_trigger_id');
  const { title, private_metadata: metadata = '', blocks } = view as OpenView;
  if (title.text.length > MOST_TITLE || metadata.length > MOST_PRIVATE || blocks.length === 0)
    throw new SlackProblem('invalid_arguments');
  const opened: OpenView = { ...(view as OpenView), private_metadata: metadata, id: workspace.newId('V') };
  views.push(opened);
  return { view: opened };
}

/** Calls come as forms, in which structures are JSON, or as JSON. */
function readFields({ body, headers }: FakeCall): Fields {
  const text = body.toString();
  if (headers['content-type']?.startsWith('application/json') === true) return JSON.parse(text) as Fields;
  return Object.fromEntries([...new URLSearchParams(text)].map(([name, value]) => [name, readValue(value)]));
}

function readValue(value: string): unknown {
  return /^[[{]/.test(value) ? parseJson(value) : value;
}

function parseJson(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

function checkToken({ botToken, appToken }: Workspace, name: string, call: FakeCall, fields: Fields): void {
  const token = call.headers.authorization?.replace(/^Bearer /, '') ?? fields.token;
  if (token === undefined || token === '') throw new SlackProblem('not_authed');
  if (token !== botToken && token !== appToken) throw new SlackProblem('invalid_auth');
  const isForApps = name.startsWith('apps.');
  if (isForApps !== (token === appToken)) throw new SlackProblem('not_allowed_token_type');
}

function scopeOf(name: string, { scope }: Method, { channel }: Fields): string | undefined {
  if (!name.startsWith('conversations.')) return scope;
  return HISTORY[String(channel).slice(0, 1) as keyof typeof HISTORY];
}

function checkScope({ scopes }: Workspace, needed: string | undefined): void {
  if (needed !== undefined && !scopes.has(needed))
    throw new SlackProblem('missing_scope', { needed, provided: [...scopes].join(',') });
}
