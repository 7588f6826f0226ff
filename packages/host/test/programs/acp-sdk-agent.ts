import { randomUUID } from 'node:crypto';
import { Readable, Writable } from 'node:stream';
import {
  type AgentContext,
  agent,
  methods,
  ndJsonStream,
  type PromptResponse,
  RequestError,
  type SessionConfigOption,
} from '@agentclientprotocol/sdk';

/*
 * An agent written with the official SDK, which checks every message of the host against the schema of the protocol. The
 * first word of a message says what happens: `tool`, `ask`, `blocks`, `host`, `slow`, `fail`. Anything else is repeated.
 */

interface Session {
  running: AbortController | undefined;
  model: string;
  isFast: boolean;
}

const sessions = new Map<string, Session>();
let host: unknown;

function optionsOf({ model, isFast }: Session): SessionConfigOption[] {
  const options = [
    { value: 'large', name: 'Large' },
    { value: 'small', name: 'Small' },
  ];
  return [
    { id: 'model', name: 'Model', category: 'model', type: 'select', currentValue: model, options },
    { id: 'fast', name: 'Fast', type: 'boolean', currentValue: isFast },
  ];
}

function sessionOf(id: string): Session {
  const session = sessions.get(id);
  if (session === undefined) throw RequestError.resourceNotFound(id);
  return session;
}

async function say(client: AgentContext, sessionId: string, text: string): Promise<void> {
  const update = { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } } as const;
  await client.notify(methods.client.session.update, { sessionId, update });
}

async function useTool(client: AgentContext, sessionId: string, signal: AbortSignal): Promise<void> {
  const toolCallId = randomUUID();
  const call = { toolCallId, title: 'Delete everything', kind: 'delete', rawInput: { path: '/' } } as const;
  const update = { sessionUpdate: 'tool_call', status: 'pending', ...call } as const;
  await client.notify(methods.client.session.update, { sessionId, update });
  const { outcome } = await client.request(
    methods.client.session.requestPermission,
    {
      sessionId,
      toolCall: { ...call },
      options: [
        { optionId: 'a', name: 'Yes', kind: 'allow_once' },
        { optionId: 'b', name: 'No', kind: 'reject_once' },
      ],
    },
    { cancellationSignal: signal },
  );
  const status = outcome.outcome === 'selected' && outcome.optionId === 'a' ? 'completed' : 'failed';
  await client.notify(methods.client.session.update, {
    sessionId,
    update: { sessionUpdate: 'tool_call_update', toolCallId, status, rawOutput: outcome },
  });
}

agent({ name: 'sdk-agent' })
  .onRequest(methods.agent.initialize, ({ params }) => {
    host = params;
    return {
      protocolVersion: 1,
      agentInfo: { name: 'sdk-agent', title: 'SDK agent', version: '2.4.0' },
      agentCapabilities: {
        promptCapabilities: { image: true, audio: true, embeddedContext: true },
        mcpCapabilities: { http: true },
        sessionCapabilities: { close: {} },
      },
    };
  })
  .onRequest(methods.agent.session.new, () => {
    const sessionId = randomUUID();
    const session: Session = { running: undefined, model: 'large', isFast: false };
    sessions.set(sessionId, session);
    return { sessionId, configOptions: optionsOf(session) };
  })
  .onRequest(methods.agent.session.setConfigOption, ({ params }) => {
    const session = sessionOf(params.sessionId);
    if (typeof params.value === 'boolean') session.isFast = params.value;
    else session.model = String(params.value);
    return { configOptions: optionsOf(session) };
  })
  .onRequest(methods.agent.session.prompt, async ({ params, client }): Promise<PromptResponse> => {
    const { sessionId, prompt } = params;
    const session = sessionOf(sessionId);
    const running = new AbortController();
    session.running = running;
    const [first] = prompt;
    const text = first?.type === 'text' ? first.text : '';
    if (text === 'fail') throw RequestError.internalError({ details: 'the model is gone' });
    if (text === 'tool') await useTool(client, sessionId, running.signal);
    else if (text === 'host') await say(client, sessionId, JSON.stringify(host));
    else if (text === 'blocks') await say(client, sessionId, prompt.map(({ type }) => type).join(' '));
    else if (text === 'ask') {
      const answer = await client.request(methods.client.elicitation.create, {
        sessionId,
        mode: 'form',
        message: 'Who?',
        requestedSchema: {
          type: 'object',
          properties: { name: { type: 'string' }, age: { type: 'integer' } },
          required: ['name'],
        },
      });
      await say(client, sessionId, JSON.stringify(answer));
    } else if (text === 'slow') {
      await say(client, sessionId, 'tick');
      await new Promise((resolve) => running.signal.addEventListener('abort', resolve));
    } else await say(client, sessionId, `You said: ${text} (${session.model}, ${session.isFast})`);
    return { stopReason: running.signal.aborted ? 'cancelled' : 'end_turn' };
  })
  .onRequest(methods.agent.session.close, ({ params }) => {
    sessions.delete(params.sessionId);
    return {};
  })
  .onNotification(methods.agent.session.cancel, ({ params }) => {
    sessions.get(params.sessionId)?.running?.abort();
  })
  .connect(
    ndJsonStream(
      Writable.toWeb(process.stdout) as WritableStream<Uint8Array>,
      Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>,
    ),
  );
