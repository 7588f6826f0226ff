import type { Turn } from '@plugboard/protocol';
import { runTransaction } from '@plugboard/sqlite';
import { itemOf } from '../loop/item.ts';
import { runLoop } from '../loop/loop.ts';
import { SILENT_SINK } from '../loop/sink.ts';
import { createTranscript } from '../loop/transcript.ts';
import { createProposalNotices } from '../memory/knowledge/proposals.ts';
import type { Memory } from '../memory/memory.ts';
import { type BackgroundWork, createBackgroundWork } from '../tasks/background-work.ts';
import { createInbox } from '../tasks/inbox.ts';
import type { TaskKind } from '../tasks/task-store.ts';
import { orAbort } from '../tools/abort.ts';
import { answerRequest, type TurnDependencies, takeSettings } from './answer-request.ts';
import { createConversation } from './conversation.ts';
import type { NuumOptions } from './nuum-options.ts';
import { permitBy } from './permission.ts';
import { researchPrompt } from './prompt.ts';
import type { Answered, Request, RequestContext } from './request.ts';
import type { Toolbox } from './toolbox.ts';
import { textOfTurn } from './turn-text.ts';

/** The agent: one conversation, one memory. */
export interface Nuum {
  /** Answers one request at a time. A second one waits until the first has ended or failed. */
  respond(request: Request, around: RequestContext): Promise<Answered>;
  /** Stores a message in the inbox. The host is told that it was accepted only after this returns. */
  admit(turn: Turn): void;
  /** The inbox number of an admitted message, once. Undefined for other messages. */
  waiting(turn: Turn): number | undefined;
  /** Moves all admitted messages into the conversation. */
  takeWaiting(): void;
  /** Applies the `extensions` of a steered message. They hold from the next turn on. */
  adopt(extensions: NonNullable<Request['extensions']>, signal: AbortSignal): Promise<void>;
  readonly background: BackgroundWork;
  /** Stops tasks, waits for the running turn, closes the toolbox and then the memory. */
  close(): Promise<void>;
}

export function createNuum(options: NuumOptions): Nuum {
  const { memory, ask, now } = options;
  const inbox = createInbox(memory.connection, memory.messages, now);
  const background = createBackgroundWork({
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
        createToolbox(options, { background, agentEnds: ending.signal, isIdle: () => running === 0 }),
      )
      .catch((error) => {
        // The next turn loads the toolbox again.
        loading = undefined;
        throw error;
      });
    return loading;
  };
  const conversation = createConversation({ memory, view: options.limits.view, now });
  const proposalNotices = createProposalNotices(memory);
  const workshop: TurnDependencies = {
    ...options,
    conversation,
    proposalNotices,
    inbox,
    ask: ask('turn'),
    toolbox,
  };
  const pending = new Map<Turn, number>();
  let tail: Promise<unknown> = Promise.resolve();
  let running = 0;
  let closing: Promise<void> | undefined;

  reportLosses(memory, inbox.takeLeft(), background.start().length);

  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const result = tail.then(work);
    tail = result.catch(() => undefined);
    return result;
  };
  const close = async (): Promise<void> => {
    try {
      await background.stop();
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
          return await answerRequest(workshop, request, around);
        } finally {
          running--;
          // Distils while the next turn may run. A toolbox that failed to load has been reported by the turn.
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
      // In one transaction: each commit waits for the disk, and thousands of messages may wait.
      runTransaction(memory.connection, () => {
        for (const number of pending.values()) inbox.take(number);
      });
      pending.clear();
    },
    adopt: (extensions, signal) =>
      orAbort(
        toolbox().then((box) => takeSettings(workshop, box, extensions)),
        signal,
      ),
    background,
    close: () => {
      closing ??= close();
      return closing;
    },
  };
}

/** Notes for the model about messages and tasks that an earlier process left unfinished. */
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
