import { relative } from 'node:path';
import type { JsonValue } from '@plugboard/protocol';
import { type LoopEnd, type LoopOptions, runLoop } from '../loop/loop.ts';
import { replay } from '../loop/replay.ts';
import type { Entry, Memory } from '../memory/memory.ts';
import type { Ask } from '../model/ask.ts';
import { ModelError } from '../model/error.ts';
import { describePolicy } from '../policy/describe.ts';
import type { Policy } from '../policy/policy.ts';
import type { Inbox } from '../tasks/inbox.ts';
import type { Limits } from './limits.ts';
import { permitBy } from './permit.ts';
import { OVERLAY, systemPrompt } from './prompt.ts';
import type { Answered, Circumstances, Request } from './request.ts';
import { jsonIn, schemaPrompt } from './structured.ts';
import type { Toolbox } from './toolbox.ts';

/** What every turn works with. */
export interface Workshop {
  readonly memory: Memory;
  readonly inbox: Inbox;
  readonly ask: Ask;
  readonly toolbox: () => Promise<Toolbox>;
  readonly policy: Policy;
  readonly limits: Limits;
  readonly directory: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly now: () => number;
}

/** Answers one request. Only an abort is thrown; whatever else goes wrong is a problem of the answer. */
export async function respond(
  workshop: Workshop,
  request: Request,
  around: Circumstances,
): Promise<Answered> {
  const { memory, inbox } = workshop;
  if (request.waiting === undefined) {
    const { text, origin } = request;
    memory.messages.append({ kind: 'user', text, ...(origin === undefined ? {} : { origin }) });
  } else inbox.take(request.waiting);
  const files = new Set<string>();
  try {
    const end = await answer(workshop, request, around, files);
    if (end.problem !== undefined) note(memory, `This turn ended early: ${end.problem.message}`);
    return { ...end, files: [...files] };
  } catch (error) {
    if (around.signal.aborted) {
      note(memory, 'This turn was interrupted.');
      throw error;
    }
    const problem = {
      code: error instanceof ModelError ? error.code : 'failed',
      message: wordsOf(error),
      passing: true,
    } as const;
    note(memory, `This turn failed: ${problem.message}`);
    return { text: '', usage: {}, files: [...files], problem };
  }
}

function note(memory: Memory, text: string): void {
  memory.messages.append({ kind: 'note', text });
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

async function answer(
  workshop: Workshop,
  request: Request,
  around: Circumstances,
  files: Set<string>,
): Promise<Omit<Answered, 'files'>> {
  const { memory, limits } = workshop;
  const toolbox = await workshop.toolbox();
  await takeSettings(memory, toolbox, request.extensions ?? {});
  const options = loopOptions(workshop, toolbox, request, around, files);
  const end = await runLoop({ ...options, said: replay(memory.messages.view(limits.view)) });
  if (request.schema === undefined || end.problem !== undefined) return end;
  return withData(end, options, memory, limits);
}

/** What hosts send beside a message outlives it, but for the environment. */
async function takeSettings(
  memory: Memory,
  toolbox: Toolbox,
  { system_prompt, mcp_servers }: Readonly<Record<string, JsonValue>>,
): Promise<void> {
  if (typeof system_prompt === 'string')
    memory.settings.set(OVERLAY, system_prompt === '' ? undefined : system_prompt);
  if (mcp_servers !== undefined) await toolbox.configureServers(mcp_servers);
}

function loopOptions(
  workshop: Workshop,
  toolbox: Toolbox,
  { schema, extensions = {} }: Request,
  { sink, askPermission, more, signal }: Circumstances,
  files: Set<string>,
): Omit<LoopOptions, 'said'> {
  const { memory, policy, directory, limits, now, ask } = workshop;
  const skills = toolbox.skills();
  const system = systemPrompt({
    memory,
    directory,
    policy: describePolicy(policy, directory),
    skills,
    now: now(),
  });
  const permit = permitBy(policy, directory, askPermission);
  return {
    ask,
    system: system + (schema === undefined ? '' : schemaPrompt(schema)),
    tools: toolbox.tools(),
    permit: async (tool, input) => {
      const permission = await permit(tool, input);
      if (permission.ok && tool.effect === 'write') {
        for (const path of permission.paths.keys()) files.add(relative(directory, path));
      }
      return permission;
    },
    context: {
      signal,
      directory,
      environment: { ...workshop.environment, ...environmentOf(extensions.environment) },
      log: sink.log,
    },
    sink,
    record: (entries: readonly Entry[]) => void memory.messages.appendAll(entries),
    ...(more === undefined ? {} : { more }),
    budget: limits.budget,
    room: limits.room,
    now,
  };
}

/** Only what is text can be a variable. */
function environmentOf(value: JsonValue | undefined): Record<string, string> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return {};
  return Object.fromEntries(
    Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}

/** An answer that is not the JSON it was to be gets one more chance. */
async function withData(
  end: LoopEnd,
  options: Omit<LoopOptions, 'said'>,
  memory: Memory,
  limits: Limits,
): Promise<Omit<Answered, 'files'>> {
  const data = jsonIn(end.text);
  if (data !== undefined) return { ...end, data };
  memory.messages.append({
    kind: 'note',
    text: 'That was not the JSON asked for. Answer with the JSON value alone.',
  });
  const second = await runLoop({ ...options, said: replay(memory.messages.view(limits.view)) });
  const again = jsonIn(second.text);
  if (again !== undefined) return { ...second, data: again };
  return {
    ...second,
    problem: { code: 'no-data', message: 'The model did not answer in the form asked for.' },
  };
}
