import type { Turn } from '@plugboard/protocol';
import { transaction } from '../database/transaction.ts';
import { runLoop } from '../loop/loop.ts';
import { SILENT_SINK } from '../loop/sink.ts';
import { createTranscript, itemOf } from '../loop/transcript.ts';
import { createProposalNotices } from '../memory/knowledge/proposals.ts';
import type { Memory } from '../memory/memory.ts';
import type { Ask, Purpose } from '../model/ask.ts';
import type { Policy } from '../policy/policy.ts';
import { createInbox } from '../tasks/inbox.ts';
import { createLife, type Life } from '../tasks/life.ts';
import type { TaskKind } from '../tasks/task-store.ts';
import { orAbort } from '../tools/abort.ts';
import { createConversation } from './conversation.ts';
import type { Limits } from './limits.ts';
import { permitBy } from './permit.ts';
import { researchPrompt } from './prompt.ts';
import type { Answered, Circumstances, Request } from './request.ts';
import { respond, takeSettings, type Workshop } from './respond.ts';
import type { Toolbox } from './toolbox.ts';
import { textOfTurn } from './turn-text.ts';

/** What an agent is made of. */
export interface NuumOptions {
  readonly memory: Memory;
  readonly ask: (purpose: Purpose) => Ask;
  readonly policy: Policy;
  readonly limits: Limits;
  readonly directory: string;
  readonly home: string;
  /** Of programs that the agent starts. */
  readonly environment: Readonly<Record<string, string>>;
  /** Whether the process outlives a turn; one that does not has nobody to tell of tasks and alarms. */
  readonly stays: boolean;
  /** Private hosts that may be fetched from. */
  readonly allowHosts: readonly string[];
  /** Servers of tools from the configuration. */
  readonly servers: Readonly<Record<string, unknown>>;
  readonly now: () => number;
  readonly newId: () => string;
  /** For the operator. */
  readonly log: (text: string) => void;
}

/** The agent: one conversation, one memory. */
export interface Nuum {
  /** Answers one request at a time: a second one waits until the first has come to its end, whatever ended it. */
  respond(request: Request, around: Circumstances): Promise<Answered>;
  /** Keeps a message before its host is told that it was taken. */
  admit(turn: Turn): void;
  /** The number under which a message waits; undefined when it does not. */
  waiting(turn: Turn): number | undefined;
  /** Makes all that wait part of the conversation. */
  takeWaiting(): void;
  /** Takes what a host sent beside a message that became part of a running turn; it holds from the next turn on. */
  adopt(extensions: NonNullable<Request['extensions']>, signal: AbortSignal): Promise<void>;
  readonly life: Life;
  /** Ends everything that was started, the memory last. */
  close(): Promise<void>;
}

export function createNuum(options: NuumOptions): Nuum {
  const { memory, ask, now } = options;
  const inbox = createInbox(memory.connection, memory.messages, now);
  const life = createLife({
    connection: memory.connection,
    now,
    newId: options.newId,
    atOnce: options.limits.tasksAtOnce,
    log: options.log,
    doTask: (kind, description, signal) => doTask(options, toolbox, kind, description, signal),
  });
  const ending = new AbortController();
  let loading: Promise<Toolbox> | undefined;
  const toolbox = (): Promise<Toolbox> => {
    loading ??= import('./toolbox.ts')
      .then(({ createToolbox }) =>
        createToolbox(options, { life, agentEnds: ending.signal, isIdle: () => running === 0 }),
      )
      .catch((error) => {
        // The next turn may find what this one has missed.
        loading = undefined;
        throw error;
      });
    return loading;
  };
  const conversation = createConversation({ memory, view: options.limits.view, now });
  const proposalNotices = createProposalNotices(memory);
  const workshop: Workshop = { ...options, conversation, proposalNotices, inbox, ask: ask('turn'), toolbox };
  const pending = new Map<Turn, number>();
  let tail: Promise<unknown> = Promise.resolve();
  let running = 0;
  let closing: Promise<void> | undefined;

  reportLosses(memory, inbox.takeLeft(), life.start().length);

  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const result = tail.then(work);
    tail = result.catch(() => undefined);
    return result;
  };
  const close = async (): Promise<void> => {
    try {
      await life.stop();
      await tail;
      ending.abort(new Error('The agent is ending.'));
      await loading?.then(
        (box) => box.close(),
        () => {},
      );
    } finally {
      memory.close();
    }
  };
  return {
    respond: (request, around) =>
      inTurn(async () => {
        running++;
        try {
          return await respond(workshop, request, around);
        } finally {
          running--;
          // Beside the next turn, not before it. A turn that found no toolbox has said so.
          void loading?.then(
            (box) => box.distil(),
            () => {},
          );
        }
      }),
    admit(turn) {
      memory.ensureThere();
      pending.set(turn, inbox.put(textOfTurn(turn)));
    },
    waiting(turn) {
      const number = pending.get(turn);
      pending.delete(turn);
      return number;
    },
    takeWaiting() {
      // Together: thousands of them one by one would hold up everything else.
      transaction(memory.connection, () => {
        for (const number of pending.values()) inbox.take(number);
      });
      pending.clear();
    },
    adopt: (extensions, signal) =>
      orAbort(
        toolbox().then((box) => takeSettings(workshop, box, extensions)),
        signal,
      ),
    life,
    close: () => {
      closing ??= close();
      return closing;
    },
  };
}

/** What a process that is no more has left undone is told to the model: nobody else will. */
function reportLosses(memory: Memory, messages: number, tasks: number): void {
  if (messages > 0) {
    const text = `The process ended before the last ${messages === 1 ? 'message' : `${messages} messages`} could be answered.`;
    memory.messages.append({ kind: 'note', text });
  }
  if (tasks > 0) {
    const text = `The process ended while ${tasks === 1 ? 'a background task was' : `${tasks} background tasks were`} running: nothing came of it.`;
    memory.messages.append({ kind: 'note', text });
  }
}

async function doTask(
  options: NuumOptions,
  toolbox: () => Promise<Toolbox>,
  kind: TaskKind,
  description: string,
  signal: AbortSignal,
): Promise<string> {
  const { ask, policy, directory, environment, limits, now, log } = options;
  const box = await toolbox();
  if (kind === 'reflect') return box.reflect(description, signal);
  const denied = { allowed: false, reason: 'Nobody can be asked in the background.' };
  const { text, problem } = await runLoop({
    ask: ask('research'),
    system: researchPrompt(directory),
    transcript: createTranscript({
      items: [itemOf({ role: 'user', text: description })],
      low: limits.view,
    }),
    tools: box.researchTools(),
    permit: permitBy(policy, directory, () => Promise.resolve(denied)),
    context: { signal, directory, environment, log },
    sink: { ...SILENT_SINK, log },
    record: () => {},
    budget: limits.taskBudget,
    room: limits.room,
    now,
  });
  if (problem !== undefined && text === '') throw new Error(problem.message);
  return problem === undefined ? text : `${text}\n\n(${problem.message})`;
}
