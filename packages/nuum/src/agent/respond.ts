import { relative } from 'node:path';
import { jsonInText, reasonOf, schemaPrompt, type Usage } from '@plugboard/protocol';
import { type LoopEnd, type LoopOptions, runLoop } from '../loop/loop.ts';
import type { Transcript } from '../loop/transcript.ts';
import type { Memory } from '../memory/memory.ts';
import type { Ask } from '../model/ask.ts';
import { ModelError } from '../model/error.ts';
import { addUsage } from '../model/usage.ts';
import { describePolicy } from '../policy/describe.ts';
import type { Policy } from '../policy/policy.ts';
import type { Inbox } from '../tasks/inbox.ts';
import { orAbort } from '../tools/abort.ts';
import type { Conversation } from './conversation.ts';
import { environmentOf, type HostSettings, settingsProblems } from './host-settings.ts';
import type { Limits } from './limits.ts';
import { permitBy } from './permit.ts';
import { OVERLAY, systemPrompt } from './prompt.ts';
import type { Answered, Circumstances, Request } from './request.ts';
import type { Toolbox } from './toolbox.ts';

/** What every turn works with. */
export interface Workshop {
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

/** Answers one request. Only an abort is thrown; whatever else goes wrong is a problem of the answer. */
export async function respond(
  workshop: Workshop,
  request: Request,
  around: Circumstances,
): Promise<Answered> {
  const files = new Set<string>();
  const counting = countedBy(workshop.ask, around.spent);
  const note = (text: string): void => noteIn(workshop.memory, text, around);
  try {
    // First of all: also what was ended before it could begin has been said.
    take(workshop, request);
    around.signal.throwIfAborted();
    const end = await answer({ ...workshop, ask: counting.ask }, request, around, files);
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

/** Counts what every question of a turn takes: also a turn that fails has used it. */
function countedBy(
  ask: Ask,
  spent?: Circumstances['spent'],
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

function take({ memory, inbox }: Workshop, { text, origin, waiting }: Request): void {
  memory.ensureThere();
  if (waiting !== undefined) inbox.take(waiting);
  else memory.messages.append({ kind: 'user', text, ...(origin === undefined ? {} : { origin }) });
}

/** A turn that failed since nothing can be kept any more must still come to its end. */
function noteIn(memory: Memory, text: string, { sink }: Circumstances): void {
  try {
    memory.messages.append({ kind: 'note', text });
  } catch (error) {
    sink.log(`It could not be kept that a turn had ended: ${reasonOf(error)}`);
  }
}

async function answer(
  workshop: Workshop,
  request: Request,
  around: Circumstances,
  files: Set<string>,
): Promise<Omit<Answered, 'files'>> {
  // Servers of tools may be slow to start; an interrupt is not.
  const toolbox = await orAbort(workshop.toolbox(), around.signal);
  await orAbort(takeSettings(workshop, toolbox, request.extensions ?? {}), around.signal);
  for (const text of [...toolbox.serverProblems(), ...workshop.proposalNotices()])
    await around.sink.progress(text);
  const options = loopOptions(workshop, toolbox, request, around, files);
  const end = await runLoop(options);
  if (request.schema === undefined || end.problem !== undefined) return end;
  return withData(end, options, workshop);
}

/**
 * Applies `system_prompt` and `mcp_servers`, which stay for later turns. Throws before any is applied when one is
 * invalid.
 */
export async function takeSettings(
  { memory, limits }: Workshop,
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
  workshop: Workshop,
  toolbox: Toolbox,
  { schema, extensions = {} }: Request,
  { sink, askPermission, takeMore, signal }: Circumstances,
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

/** An answer that is not the JSON it was to be gets one more chance. */
async function withData(
  end: LoopEnd,
  options: LoopOptions,
  { memory, conversation }: Workshop,
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
