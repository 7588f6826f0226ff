import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { apiOf, type ModelRequest } from './apis.ts';
import type { ModelReply } from './model-reply.ts';

/**
 * A server on loopback that speaks Anthropic's Messages, OpenAI's Responses and chat completions, and Gemini; a test
 * sets its replies.
 */
export interface ModelServer {
  /** For clients that add `/messages`, `/responses` or `/chat/completions` themselves. */
  readonly baseUrl: string;
  readonly requests: readonly ModelRequest[];
  /** The number of requests whose client disconnected before the end of the reply. */
  readonly abandoned: () => number;
  close(): Promise<void>;
}

/** Replies in order, the last one repeated; or a function of the request. */
export type Replies = readonly ModelReply[] | ((request: ModelRequest, index: number) => ModelReply);

export async function startModelServer(replies: Replies): Promise<ModelServer> {
  const requests: ModelRequest[] = [];
  let abandoned = 0;
  const server = createServer((incoming, outgoing) => {
    outgoing.on('close', () => {
      if (!outgoing.writableFinished) abandoned++;
    });
    void readRequest(incoming).then((request) => {
      const index = requests.push(request) - 1;
      const reply =
        typeof replies === 'function' ? replies(request, index) : (replies[index] ?? replies.at(-1) ?? {});
      return sendReply(request, reply, outgoing);
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

async function readRequest(incoming: IncomingMessage): Promise<ModelRequest> {
  let text = '';
  for await (const chunk of incoming.setEncoding('utf8')) text += chunk;
  const body = text === '' ? undefined : JSON.parse(text);
  return { path: incoming.url ?? '', headers: incoming.headers, body };
}

async function sendReply(request: ModelRequest, reply: ModelReply, out: ServerResponse): Promise<void> {
  if (reply.delayMs !== undefined) await sleep(reply.delayMs);
  if (reply.cut === 'before') return void out.destroy();
  const api = apiOf(request.path);
  if (reply.status !== undefined && reply.status !== 200) {
    out.writeHead(reply.status, { 'content-type': 'application/json', ...reply.headers });
    return void out.end(JSON.stringify(api.error(reply.status, reply.error ?? 'no')));
  }
  if (reply.raw !== undefined)
    return void out.writeHead(200, { 'content-type': 'text/event-stream' }).end(reply.raw);
  const whole = api.whole?.(reply, request);
  if (whole !== undefined) {
    out.writeHead(200, { 'content-type': 'application/json', ...reply.headers });
    return void out.end(JSON.stringify(whole));
  }
  out.writeHead(200, { 'content-type': 'text/event-stream', ...reply.headers });
  await sendStream(api.events(reply, request), reply, out);
}

async function sendStream(lines: Iterable<string>, reply: ModelReply, out: ServerResponse): Promise<void> {
  let texts = 0;
  for (const line of lines) {
    if (reply.pieceMs !== undefined) await sleep(reply.pieceMs);
    if (out.destroyed) return;
    if (
      reply.short === 'stop' &&
      /message_delta|message_stop|"finish_reason":"|\[DONE\]|response\.completed|"finishReason"/.test(line)
    )
      continue;
    await writeText(out, formatOdd(line, reply.odd), reply.odd === 'bytes');
    const isCall = /partial_json|"arguments"|"functionCall"/.test(line);
    if (/text_delta|"content":"[^"]|output_text\.delta|"parts":\[\{"text"/.test(line)) texts++;
    if (reply.hang === true && texts > 0) return;
    if ((reply.cut === 'text' && texts > 0) || (reply.cut === 'call' && isCall)) return void out.destroy();
    if ((reply.short === 'text' && texts > 0) || (reply.short === 'call' && isCall)) break;
  }
  out.end();
}

function formatOdd(line: string, odd: ModelReply['odd']): string {
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

async function writeText(out: ServerResponse, text: string, byByte: boolean): Promise<void> {
  // `destroy` discards a line that the kernel has not taken, so each write is awaited.
  if (!byByte) return new Promise((resolve) => void out.write(text, () => resolve()));
  for (const byte of Buffer.from(text)) {
    out.write(Buffer.of(byte));
    await new Promise(setImmediate);
  }
}
