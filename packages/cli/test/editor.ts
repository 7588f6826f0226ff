import { type ChildProcess, spawn } from 'node:child_process';
import { Readable, Writable } from 'node:stream';
import {
  type ClientCapabilities,
  type ClientContext,
  type CreateElicitationRequest,
  type CreateElicitationResponse,
  client,
  methods,
  type NewSessionResponse,
  ndJsonStream,
  PROTOCOL_VERSION,
  type PromptResponse,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionUpdate,
} from '@agentclientprotocol/sdk';
import { ENVIRONMENT } from './plugboard.ts';

/** How a person answers the agent in an editor. */
export interface Person {
  permission?(
    request: RequestPermissionRequest,
  ): Promise<RequestPermissionResponse> | RequestPermissionResponse;
  form?(request: CreateElicitationRequest): CreateElicitationResponse;
}

/** Chooses the option with this id. */
export function choose(optionId: string): Person {
  return { permission: () => ({ outcome: { outcome: 'selected', optionId } }) };
}

/** An editor made of the official SDK, with an agent as its child process. */
export interface Editor {
  readonly agent: ClientContext;
  readonly child: ChildProcess;
  /** What the agent has said on stderr. */
  readonly stderr: string;
  /** Every update so far, with its session. */
  readonly updates: { readonly sessionId: string; readonly update: SessionUpdate }[];
  /** The texts of one kind of chunk in a session, joined. */
  textOf(sessionId: string, kind?: SessionUpdate['sessionUpdate']): string;
  initialize(): ReturnType<typeof initialize>;
  /** Opens a session and returns its id. */
  open(cwd?: string): Promise<string>;
  prompt(sessionId: string, text: string): Promise<string>;
  /** Closes stdin and resolves to the exit code. */
  close(): Promise<number | null>;
}

const initialize = (agent: ClientContext, clientCapabilities: ClientCapabilities) =>
  agent.request(methods.agent.initialize, { protocolVersion: PROTOCOL_VERSION, clientCapabilities });

/** Starts an agent as an editor does. */
export function startEditor(
  [file = '', ...args]: readonly string[],
  { person = {}, capabilities = {}, env = {}, cwd }: EditorOptions = {},
): Editor {
  const child = spawn(file, args, {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...ENVIRONMENT, ...env },
    cwd,
  });
  const exited = new Promise<number | null>((resolve) => child.on('exit', resolve));
  const updates: Editor['updates'] = [];
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const output = Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>;
  const { agent } = client({ name: 'editor' })
    .onNotification(methods.client.session.update, ({ params }) => void updates.push(params))
    .onRequest(
      methods.client.session.requestPermission,
      ({ params }) => person.permission?.(params) ?? { outcome: { outcome: 'cancelled' } },
    )
    .onRequest(
      methods.client.elicitation.create,
      ({ params }) => person.form?.(params) ?? { action: 'cancel' },
    )
    .connect(ndJsonStream(Writable.toWeb(child.stdin), output));
  return {
    agent,
    child,
    updates,
    get stderr() {
      return stderr;
    },
    textOf: (sessionId, kind = 'agent_message_chunk') =>
      updates
        .filter((one) => one.sessionId === sessionId && one.update.sessionUpdate === kind)
        .map(({ update }) => ('content' in update ? textIn(update.content) : ''))
        .join(''),
    initialize: () => initialize(agent, capabilities),
    async open(directory = cwd ?? process.cwd()) {
      const request = { cwd: directory, mcpServers: [] };
      return (await agent.request<NewSessionResponse>(methods.agent.session.new, request)).sessionId;
    },
    async prompt(sessionId, text) {
      const prompt = [{ type: 'text' as const, text }];
      return (await agent.request<PromptResponse>(methods.agent.session.prompt, { sessionId, prompt }))
        .stopReason;
    },
    close() {
      child.stdin.end();
      return exited;
    },
  };
}

interface EditorOptions {
  readonly person?: Person;
  readonly capabilities?: ClientCapabilities;
  readonly env?: Record<string, string>;
  readonly cwd?: string;
}

function textIn(content: unknown): string {
  const { text } = content as { readonly text?: unknown };
  return typeof text === 'string' ? text : '';
}
