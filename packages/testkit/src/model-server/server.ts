import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { anthropicError, anthropicEvents } from './anthropic.ts';
import { openaiChunks, openaiCompletion } from './openai.ts';
import type { ModelReply } from './reply.ts';

/** A request as the server got it. */
export interface ModelRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into the body of whichever provider it speaks to.
  readonly body: any;
}

/** A server on loopback that speaks Anthropic's Messages and OpenAI's chat completions, and says what a test tells it to. */
export interface ModelServer {
  /** For clients that add `/messages` or `/chat/completions` themselves. */
  readonly baseUrl: string;
  readonly requests: readonly ModelRequest[];
  /** Requests whose client has gone away before the answer was finished. */
  readonly abandoned: () => number;
  close(): Promise<void>;
}

/** Answers one after the other; when they are used up, the last one again. Or whatever a function says to a request. */
export type Replies = readonly ModelReply[] | ((request: ModelRequest, index: number) => ModelReply);

export async function startModelServer(replies: Replies): Promise<ModelServer> {
  const requests: ModelRequest[] = [];
  let abandoned = 0;
  const server = createServer((incoming, outgoing) => {
    outgoing.on('close', () => {
      if (!outgoing.writableFinished) abandoned++;
    });
    void receive(incoming).then((request) => {
      const index = requests.push(request) - 1;
      const reply =
        typeof replies === 'function' ? replies(request, index) : (replies[index] ?? replies.at(-1) ?? {});
      return answer(request, reply, outgoing);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    requests,
    abandoned: () => abandoned,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function receive(incoming: IncomingMessage): Promise<ModelRequest> {
  let text = '';
  for await (const chunk of incoming.setEncoding('utf8')) text += chunk;
  const body = text === '' ? undefined : JSON.parse(text);
  return { path: incoming.url ?? '', headers: incoming.headers, body };
}

async function answer({ path, body }: ModelRequest, reply: ModelReply, out: ServerResponse): Promise<void> {
  if (reply.delayMs !== undefined) await sleep(reply.delayMs);
  if (reply.cut === 'before') return void out.destroy();
  const anthropic = /\/messages(\?|$)/.test(path);
  if (reply.status !== undefined && reply.status !== 200) {
    const message = reply.error ?? 'no';
    const error = anthropic ? anthropicError(reply.status, message) : { error: { message, type: 'error' } };
    out.writeHead(reply.status, { 'content-type': 'application/json', ...reply.headers });
    return void out.end(JSON.stringify(error));
  }
  if (reply.raw !== undefined)
    return void out.writeHead(200, { 'content-type': 'text/event-stream' }).end(reply.raw);
  if (!anthropic && body?.stream !== true) {
    out.writeHead(200, { 'content-type': 'application/json', ...reply.headers });
    return void out.end(JSON.stringify(openaiCompletion(reply, body?.model ?? 'm')));
  }
  out.writeHead(200, { 'content-type': 'text/event-stream', ...reply.headers });
  await stream(anthropic ? anthropicLines(reply, body.model) : openaiLines(reply, body.model), reply, out);
}

function* anthropicLines(reply: ModelReply, model: string): Generator<string> {
  for (const [type, data] of anthropicEvents(reply, model)) {
    yield `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;
  }
}

function* openaiLines(reply: ModelReply, model: string): Generator<string> {
  for (const chunk of openaiChunks(reply, model)) yield `data: ${JSON.stringify(chunk)}\n\n`;
  yield 'data: [DONE]\n\n';
}

async function stream(lines: Iterable<string>, reply: ModelReply, out: ServerResponse): Promise<void> {
  let texts = 0;
  for (const line of lines) {
    if (reply.pieceMs !== undefined) await sleep(reply.pieceMs);
    if (out.destroyed) return;
    if (reply.short === 'stop' && /message_delta|message_stop|"finish_reason":"|\[DONE\]/.test(line))
      continue;
    await write(out, dressed(line, reply.odd), reply.odd === 'bytes');
    const isCall = /partial_json|"arguments"/.test(line);
    if (/text_delta|"content":"[^"]/.test(line)) texts++;
    if (reply.hang === true && texts > 0) return;
    if ((reply.cut === 'text' && texts > 0) || (reply.cut === 'call' && isCall)) return void out.destroy();
    if ((reply.short === 'text' && texts > 0) || (reply.short === 'call' && isCall)) break;
  }
  out.end();
}

function dressed(line: string, odd: ModelReply['odd']): string {
  switch (odd) {
    case 'crlf':
      return line.replaceAll('\n', '\r\n');
    case 'no-space':
      return line.replaceAll(/^(data|event): /gm, '$1:');
    case 'comments':
      return `: still here\n\n${line}`;
    default:
      return line;
  }
}

async function write(out: ServerResponse, text: string, byByte: boolean): Promise<void> {
  // Waits for the kernel: a line that `destroy` overtakes never reaches the client.
  if (!byByte) return new Promise((resolve) => void out.write(text, () => resolve()));
  for (const byte of Buffer.from(text)) {
    out.write(Buffer.of(byte));
    await new Promise(setImmediate);
  }
}
