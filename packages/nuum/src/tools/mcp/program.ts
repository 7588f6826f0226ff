import { isUtf8 } from 'node:buffer';
import { type JSONRPCMessage, parseJSONRPCMessage, type Transport } from '@modelcontextprotocol/client';
import { type Child, spawn } from '@plugboard/process';
import { createLines, endBytes, type LineSink, parseJson, pushBytes } from '@plugboard/protocol';

const LONGEST_LINE = 16 * 1024 * 1024;
const INPUT_GRACE_MS = 300;
const KILL_GRACE_MS = 300;
const NOISE_TOLD = 3;

const codec = {
  decode: (bytes: Uint8Array): string =>
    Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8'),
  isValid: isUtf8,
};

export interface ProgramOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** A transport that knows how its program ended. */
export interface ProgramTransport extends Transport {
  lastWords(): string | undefined;
}

/**
 * Sends and receives JSON lines on the pipes of a program. It runs in a process group of its own, which is killed by
 * `close`.
 */
export function programTransport({ command, args, cwd, env }: ProgramOptions): ProgramTransport {
  let child: Child | undefined;
  let words: string | undefined;

  const transport: ProgramTransport = {
    async start() {
      child = spawn({ file: command, args, cwd, env }, { killGraceMs: KILL_GRACE_MS });
      readMessages(child, transport);
      void child.ended.then((ending) => {
        const last = ending.stderr.trim().split('\n').at(-1)?.slice(0, 300) ?? '';
        words =
          ending.failure?.message ??
          `it ended with exit code ${ending.exitCode}${last === '' ? '' : ` (${last})`}`;
        transport.onclose?.();
      });
    },
    async send(message) {
      child?.write(`${JSON.stringify(message)}\n`);
    },
    async close() {
      child?.stop('cancel', { inputGraceMs: INPUT_GRACE_MS });
      await child?.ended;
    },
    lastWords: () => words,
  };
  return transport;
}

function readMessages(child: Child, transport: ProgramTransport): void {
  const lines = createLines(codec, LONGEST_LINE);
  let noise = 0;
  const sink: LineSink = {
    onLine(line) {
      const message = messageIn(line);
      if (message !== undefined) transport.onmessage?.(message);
      else if (line.trim() !== '' && ++noise <= NOISE_TOLD) {
        transport.onerror?.(new Error(`It wrote something that is no message: ${line.slice(0, 100)}`));
      }
    },
    onFault(code) {
      if (code !== 'line-too-long') return;
      // The caller of the lost message would wait for its timeout.
      transport.onerror?.(
        new Error(`It sent a message of more than ${LONGEST_LINE} bytes and is ended for it.`),
      );
      child.stop('limit');
    },
  };
  child.stdout?.on('data', (chunk: Buffer) => pushBytes(lines, chunk, sink));
  child.stdout?.once('end', () => endBytes(lines, sink));
}

function messageIn(line: string): JSONRPCMessage | undefined {
  const parsed = parseJson(line);
  if (!parsed.ok) return undefined;
  try {
    return parseJSONRPCMessage(parsed.value);
  } catch {
    return undefined;
  }
}
