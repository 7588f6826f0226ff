import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Readable, Writable } from 'node:stream';
import { client, methods, ndJsonStream } from '@agentclientprotocol/sdk';
import { WORKSPACE } from './agents.ts';

/** A session of the official SDK's client with an agent that it has started. */
export interface AcpSession {
  /** One prompt; resolves to the milliseconds until its answer. */
  ask(): Promise<number>;
  close(): Promise<void>;
}

/** Starts an agent and opens a session with it. */
export async function openAcp([program = '', ...args]: readonly string[]): Promise<AcpSession> {
  const child: ChildProcess = spawn(program, args, { cwd: WORKSPACE, stdio: ['pipe', 'pipe', 'inherit'] });
  if (child.stdin === null || child.stdout === null) throw new Error(`${program} has no pipes.`);
  const stream = ndJsonStream(
    Writable.toWeb(child.stdin) as WritableStream<Uint8Array>,
    Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>,
  );
  const connection = client({ name: 'bench' })
    .onNotification(methods.client.session.update, () => {})
    .connect(stream);
  const { agent } = connection;
  await agent.request(methods.agent.initialize, { protocolVersion: 1, clientCapabilities: {} });
  const { sessionId } = await agent.request(methods.agent.session.new, { cwd: WORKSPACE, mcpServers: [] });
  return {
    async ask() {
      const started = performance.now();
      await agent.request(methods.agent.session.prompt, {
        sessionId,
        prompt: [{ type: 'text', text: 'hello' }],
      });
      return performance.now() - started;
    },
    async close() {
      child.stdin?.end();
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    },
  };
}
