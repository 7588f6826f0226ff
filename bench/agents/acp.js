import { randomUUID } from 'node:crypto';
import { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { agent, methods, ndJsonStream } from '@agentclientprotocol/sdk';

/*
 * An agent written with the official SDK of the Agent Client Protocol: it answers in 20 pieces, with as many milliseconds
 * before each as its first argument says.
 */
const pause = Number(process.argv[2] ?? 0);

agent({ name: 'bench' })
  .onRequest(methods.agent.initialize, () => ({ protocolVersion: 1, agentCapabilities: {} }))
  .onRequest(methods.agent.session.new, () => ({ sessionId: randomUUID() }))
  .onRequest(methods.agent.session.prompt, async ({ params: { sessionId }, client }) => {
    for (let piece = 0; piece < 20; piece += 1) {
      if (pause > 0) await sleep(pause);
      const update = { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'word ' } };
      await client.notify(methods.client.session.update, { sessionId, update });
    }
    return { stopReason: 'end_turn' };
  })
  .connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));
