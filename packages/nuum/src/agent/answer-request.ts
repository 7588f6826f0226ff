import { relative } from 'node:path';
import { ModelError } from '@plugboard/llm';
import { jsonInText, reasonOf, schemaPrompt, type Usage } from '@plugboard/protocol';
import { type LoopEnd, type LoopOptions, runLoop } from '../loop/loop.ts';
import type { Transcript } from '../loop/transcript.ts';
import type { Memory } from '../memory/memory.ts';
import type { Ask } from '../model/ask.ts';
import { addUsage } from '../model/usage.ts';
import { describePolicy } from '../policy/describe.ts';
import type { Policy } from '../policy/policy.ts';
import type { Inbox } from '../tasks/inbox.ts';
import { orAbort } from '../tools/abort.ts';
import type { Conversation } from './conversation.ts';
import { environmentOf, type HostSettings, settingsProblems } from './host-settings.ts';
import type { Limits } from './limits.ts';
import { permitBy } from './permission.ts';
import { OVERLAY, systemPrompt } from './prompt.ts';
import type { Answered, Request, RequestContext } from './request.ts';
import type { Toolbox } from './toolbox.ts';

export interface TurnDependencies {
  readonly memory: Memory;
  readonly conversation: Conversation;
  /** One notice for each new proposal for a standing entry. */
  readonly proposalNotices: () => readonly string[];
  readonly inbox: Inbox;
  readonly ask: Ask;
  readonly toolbox: () => Promise<Toolbox>;
  readonly policy: Policy;
  readonly limits: Limits;
  readonly directory: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly now: () => number;
}

/** Answers one request. Throws only when `signal` is aborted; every other error becomes the `problem` of the answer. */
export async function answerRequest(
  workshop: TurnDependencies,
  request: Request,
  around: RequestContext,
): Promise<Answered> {
  const files = new Set<string>();
  const counting = countUsage(workshop.ask, around.spent);
  const note = (text: string): void => appendNote(workshop.memory, text, around);
  try {
    // Before anything can throw: the message of an aborted turn stays in the conversation, too.
    storeMessage(workshop, request);
    around.signal.throwIfAborted();
    const end = await runTurn({ ...workshop, ask: counting.ask }, request, around, files);
    if (end.problem !== undefined) note(`This turn ended early: ${end.problem.message}`);
    return { ...end, usage: counting.usage(), files: [...files] };
  } catch (error) {
    if (around.signal.aborted) {
      note('This turn was interrupted.');
      throw error;
    }
    const problem = {
      code: error instanceof ModelError ? error.code : 'failed',
      message: reasonOf(error),
      passing: true,
    } as const;
    note(`This turn failed: ${problem.message}`);
    // A provider that refused this prompt would refuse the next one, which begins with it.
    if (error instanceof ModelError) workshop.conversation.reset();
    return { text: '', usage: counting.usage(), files: [...files], problem };
  }
}

/** Sums the usage of all replies, so that it is known also when the turn fails. */
function countUsage(
  ask: Ask,
  spent?: RequestContext['spent'],
): { readonly ask: Ask; readonly usage: () => Usage } {
  let usage: Usage = {};
  return {
    async ask(question) {
      const reply = await ask(question);
      usage = addUsage(usage, reply.usage);
      spent?.(usage);
      return reply;
    },
    usage: () => usage,
  };
}

function storeMessage({ memory, inbox }: TurnDependencies, { text, origin, waiting }: Request): void {
  memory.ensureThere();
  if (waiting !== undefined) inbox.take(waiting);
  else memory.messages.append({ kind: 'user', text, ...(origin === undefined ? {} : { origin }) });
}

/**
 * Logs a note that cannot be stored instead of throwing: a turn that failed because the disk is full must still end.
 */
function appendNote(memory: Memory, text: string, { sink }: RequestContext): void {
  try {
    memory.messages.append({ kind: 'note', text });
  } catch (error) {
    sink.log(`It could not be kept that a turn had ended: ${reasonOf(error)}`);
  }
}

async function runTurn(
  workshop: TurnDependencies,
  request: Request,
  around: RequestContext,
  files: Set<string>,
): Promise<Omit<Answered, 'files'>> {
  // MCP servers may take long to start, and an interrupt must not wait for them.
  const toolbox = await orAbort(workshop.toolbox(), around.signal);
  await orAbort(takeSettings(workshop, toolbox, request.extensions ?? {}), around.signal);
  for (const text of [...toolbox.serverProblems(), ...workshop.proposalNotices()])
    await around.sink.progress(text);
  const options = loopOptions(workshop, toolbox, request, around, files);
  const end = await runLoop(options);
  if (request.schema === undefined || end.problem !== undefined) return end;
  return requireData(end, options, workshop);
}

/**
 * Applies `system_prompt` and `mcp_servers`, which stay for later turns. Throws before any is applied when one is
 * invalid.
 */
export async function takeSettings(
  { memory, limits }: TurnDependencies,
  toolbox: Toolbox,
  settings: HostSettings,
): Promise<void> {
  const [problem] = settingsProblems(settings, limits.room);
  if (problem !== undefined) throw new Error(problem);
  const { system_prompt, mcp_servers } = settings;
  if (typeof system_prompt === 'string') {
    memory.settings.set(OVERLAY, system_prompt === '' ? undefined : system_prompt);
  }
  if (mcp_servers !== undefined) await toolbox.configureServers(mcp_servers);
}

function loopOptions(
  workshop: TurnDependencies,
  toolbox: Toolbox,
  { schema, extensions = {} }: Request,
  { sink, askPermission, takeMore, signal }: RequestContext,
  files: Set<string>,
): LoopOptions {
  const { memory, policy, directory, limits, now, ask, conversation } = workshop;
  const skills = toolbox.skills();
  const system = systemPrompt({
    memory,
    directory,
    policy: describePolicy(policy, directory),
    skills,
  });
  const transcript = transcriptFor(conversation, schema);
  const permit = permitBy(policy, directory, askPermission);
  return {
    ask,
    system,
    transcript,
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
      environment: { ...workshop.environment, ...environmentOf(extensions) },
      turnFrom: conversation.turnFrom,
      log: sink.log,
    },
    sink,
    record: conversation.record,
    ...(takeMore === undefined
      ? {}
      : {
          async takeMore() {
            if (await takeMore()) conversation.catchUp();
          },
        }),
    budget: limits.budget,
    room: limits.room,
    now,
  };
}

/** Adds the schema of this turn to the transcript: in the system prompt it would void the provider's cache. */
function transcriptFor(conversation: Conversation, schema: Request['schema']): Transcript {
  const transcript = conversation.beginTurn();
  if (schema !== undefined) transcript.add({ role: 'user', text: schemaPrompt(schema) });
  return transcript;
}

/** Asks once more when the answer has no JSON value. */
async function requireData(
  end: LoopEnd,
  options: LoopOptions,
  { memory, conversation }: TurnDependencies,
): Promise<Omit<Answered, 'files'>> {
  const data = jsonInText(end.text);
  if (data !== undefined) return { ...end, data };
  memory.messages.append({
    kind: 'note',
    text: 'That was not the JSON asked for. Answer with the JSON value alone.',
  });
  conversation.catchUp();
  const second = await runLoop(options);
  const again = jsonInText(second.text);
  if (again !== undefined) return { ...second, data: again };
  return {
    ...second,
    problem: { code: 'no-data', message: 'The model did not answer in the form asked for.' },
  };
}
