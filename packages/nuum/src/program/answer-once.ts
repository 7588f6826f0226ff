import type { Permission } from '@plugboard/protocol';
import type { Sink } from '../loop/sink.ts';
import { SILENT_SINK } from '../loop/sink.ts';
import type { OpenNuum } from './agent.ts';

export interface Streams {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
}

const NOBODY: Permission = {
  allowed: false,
  reason: 'Nobody is there to be asked; a rule with --allow permits it.',
};

/** Answers one prompt on stdout. Returns the exit code. */
export async function answerOnce(
  { nuum, memory, model }: OpenNuum,
  prompt: string,
  { json, quiet }: { readonly json: boolean; readonly quiet: boolean },
  { out, err }: Streams,
  signal: AbortSignal,
): Promise<number> {
  const started = performance.now();
  const tell = quiet ? () => {} : err;
  const sink: Sink = {
    ...SILENT_SINK,
    message: async (text) => (json ? undefined : out(`${text}\n`)),
    call: async ({ name, input }) => tell(`· ${name} ${JSON.stringify(input).slice(0, 200)}\n`),
    progress: async (text) => tell(`… ${text}\n`),
    log: (text) => tell(`${text}\n`),
  };
  const around = { sink, signal, askPermission: () => Promise.resolve(NOBODY) };
  const answered = await nuum.respond({ text: prompt }, around);
  const { text, usage, files, problem } = answered;
  const durationMs = Math.round(performance.now() - started);
  if (json) {
    const all = {
      text,
      session_id: memory.session,
      model,
      usage,
      files,
      duration_ms: durationMs,
      error: problem,
    };
    out(`${JSON.stringify(all)}\n`);
  } else if (problem !== undefined) err(`nuum: ${problem.message}\n`);
  return problem === undefined ? 0 : 1;
}
