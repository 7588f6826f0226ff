import { randomUUID } from 'node:crypto';
import { createInterface, type Interface } from 'node:readline';
import type { Ask, Event, OpenAgent } from '@plugboard/host';
import { type Answer, createTurn, type Question, type Turn, terminalText } from '@plugboard/protocol';
import { createPrinter } from '../screen/printer.ts';
import { type Style, styleFor } from '../screen/style.ts';
import { watchInterruption } from '../signals.ts';
import { HELP, readTyped, type Typed } from './commands.ts';
import { chooseOption, createOffer, noteOffer, type Offer, offerText } from './options.ts';
import { askEndText, choicesText, questionText, readAnswer } from './questions.ts';

/** Options of `startConversation`. */
export interface ConversationOptions {
  readonly sessionKey: string | undefined;
  readonly verbose: boolean;
}

interface Conversation {
  readonly agent: OpenAgent;
  readonly keyboard: Interface;
  readonly style: Style;
  readonly options: ConversationOptions;
  sessionKey: string;
  readonly offer: Offer;
  /** Open questions of the agent; `answerQuestion` takes the next line as the answer to the first. */
  readonly asking: Asking[];
  /** Messages typed while a turn ran in an agent that cannot be steered. */
  readonly waiting: string[];
  /** Messages that were steered into the current turn and that the agent has not taken in, by id. */
  readonly steered: Map<string, string>;
  current: AbortController | undefined;
  /** Settles when no turn is running and no message is waiting. */
  idle: Promise<void>;
  failed: boolean;
  /** No more will be typed. */
  closed: boolean;
  /** Settles when the events of the current turn are printed. */
  shown: Promise<void>;
}

/** A question of the agent to the person. */
interface Asking {
  readonly question: Question;
  readonly answer: (answer: Answer) => void;
}

/** Talks until the person leaves; resolves to the exit code. */
export async function startConversation(agent: OpenAgent, options: ConversationOptions): Promise<number> {
  const keyboard = createInterface({ input: process.stdin, output: process.stderr, prompt: '> ' });
  const conversation: Conversation = {
    agent,
    keyboard,
    style: styleFor(process.stderr),
    options,
    sessionKey: options.sessionKey ?? randomUUID(),
    offer: createOffer(),
    asking: [],
    waiting: [],
    steered: new Map(),
    current: undefined,
    idle: Promise.resolve(),
    failed: false,
    closed: false,
    shown: Promise.resolve(),
  };
  agent.resident?.onIdleEvent((event) => noteOffer(conversation.offer, event));
  printGreeting(conversation);
  const unasked = showUnasked(conversation);
  keyboard.on('close', () => {
    conversation.closed = true;
  });
  keyboard.on('SIGINT', () => handleInterrupt(conversation));
  // Signals from other processes, and Ctrl-C after `keyboard` is closed.
  const interruption = watchInterruption(() => void agent.close({ graceMs: 0 }));
  interruption.signal.addEventListener('abort', () => endConversation(conversation));
  showPrompt(conversation);
  for await (const line of keyboard) {
    if (!runCommand(conversation, readTyped(line))) break;
  }
  await conversation.idle;
  if (!interruption.signal.aborted) await agent.resident?.whenIdle();
  await agent.close();
  await unasked;
  keyboard.close();
  interruption.dispose();
  return interruption.exitCode ?? (conversation.failed && !process.stdin.isTTY ? 1 : 0);
}

function printGreeting({ agent, style }: Conversation): void {
  if (!process.stdin.isTTY) return;
  process.stderr.write(
    style.dim(`Talking to ${agent.name} (${agent.dialect}). /help lists commands, /quit leaves.\n`),
  );
}

/** Executes one typed command; returns false for `/quit`. */
function runCommand(conversation: Conversation, typed: Typed): boolean {
  switch (typed.kind) {
    case 'quit':
      stopTurn(conversation);
      return false;
    case 'stop':
      if (!stopTurn(conversation)) printNote(conversation, 'Nothing is running.');
      break;
    case 'new':
      printNote(conversation, beginAnew(conversation));
      break;
    case 'help':
      printNote(conversation, HELP);
      break;
    case 'status':
      printNote(conversation, statusOf(conversation));
      break;
    case 'options':
      printNote(conversation, offerText(conversation.offer));
      break;
    case 'set':
      printNote(conversation, chooseOption(conversation.offer, typed.option, typed.value));
      break;
    case 'say':
      if (!answerQuestion(conversation, typed.text)) takeLine(conversation, typed.text);
      break;
    case 'nothing':
      if (conversation.current === undefined) showPrompt(conversation);
  }
  return true;
}

function beginAnew(conversation: Conversation): string {
  const { resident, session } = conversation.agent.capabilities;
  if (resident && session === 'none') return 'This agent has one conversation for ever; it goes on.';
  conversation.sessionKey = randomUUID();
  return 'A new conversation.';
}

function takeLine(conversation: Conversation, text: string): void {
  const { agent, current } = conversation;
  if (current === undefined) {
    conversation.idle = answerMessages(conversation, text);
    return;
  }
  const turn = turnOf(conversation, text);
  if (agent.resident?.steer(turn) === true) {
    conversation.steered.set(turn.id, text);
    return;
  }
  conversation.waiting.push(text);
  printNote(conversation, 'The agent is busy; this comes next.');
}

/** Takes a line as the answer to the first question in `asking`; returns false without an open question. */
function answerQuestion(conversation: Conversation, line: string): boolean {
  const [asking] = conversation.asking;
  if (asking === undefined) return false;
  const given = readAnswer(asking.question, line);
  if (given === undefined) printNote(conversation, choicesText(asking.question));
  else asking.answer({ ...given, by: 'you', via: 'person' });
  return true;
}

/** Returns undefined when stdin is not a terminal, since no user could answer then. */
function askOf(conversation: Conversation): Ask | undefined {
  if (!process.stdin.isTTY) return undefined;
  return (question, { signal }) =>
    new Promise((resolve) => {
      const leave = (): void => {
        const at = conversation.asking.indexOf(asking);
        if (at !== -1) conversation.asking.splice(at, 1);
      };
      const asking: Asking = {
        question,
        answer(answer) {
          leave();
          resolve(answer);
        },
      };
      signal.addEventListener('abort', leave);
      conversation.asking.push(asking);
      // Deferred with `setImmediate`, so that the output of the agent before its question is printed first.
      setImmediate(() => printNote(conversation, questionText(question)));
    });
}

async function answerMessages(conversation: Conversation, first: string): Promise<void> {
  for (let text: string | undefined = first; text !== undefined; text = conversation.waiting.shift()) {
    const controller = new AbortController();
    conversation.current = controller;
    const turn = turnOf(conversation, text);
    const run = conversation.agent.run(turn, controller.signal, askOf(conversation));
    const showing = printTurn(conversation, run);
    conversation.shown = showing.then(() => {});
    conversation.failed = !(await showing);
    conversation.current = undefined;
    // Unless `stopTurn` came before, `agent` answers the rest in turns of their own.
    conversation.steered.clear();
  }
  showPrompt(conversation);
}

/** Prints a turn; true when it ended well. */
async function printTurn(
  conversation: Conversation,
  events: AsyncIterable<Event> | Iterable<Event>,
): Promise<boolean> {
  const printer = createPrinter({
    json: false,
    verbose: conversation.options.verbose,
    hideStderr: false,
    spinner: true,
  });
  let succeeded = false;
  for await (const event of events) {
    noteOffer(conversation.offer, event);
    if (event.type === 'steered' || event.type === 'accepted')
      for (const id of event.inputs ?? []) conversation.steered.delete(id);
    await printer.print(event);
    if (event.type === 'queued') printNote(conversation, `Passed on; ${event.position} waiting.`);
    if (event.type === 'steered') printNote(conversation, 'The agent has taken it in.');
    if (event.type === 'ask-ended') printNote(conversation, askEndText(event));
    if (event.type === 'end') succeeded = event.outcome === 'success';
    if (event.type === 'end' && event.outcome === 'cancelled') printNote(conversation, 'Stopped.');
  }
  printer.finish();
  return succeeded;
}

/** Prints unasked events after `conversation.shown`: otherwise they would be interleaved with the output of a turn. */
async function showUnasked(conversation: Conversation): Promise<void> {
  for await (const run of conversation.agent.resident?.unasked() ?? []) {
    const events: Event[] = [];
    for await (const event of run) events.push(event);
    await conversation.shown;
    await printTurn(conversation, events);
    showPrompt(conversation);
  }
}

/**
 * The first Ctrl-C cancels the turn, the second closes the agent with `graceMs: 0`; without a turn it ends the
 * conversation.
 */
function handleInterrupt(conversation: Conversation): void {
  if (stopTurn(conversation)) return;
  if (conversation.current !== undefined) void conversation.agent.close({ graceMs: 0 });
  endConversation(conversation);
}

/**
 * Drops the messages in `steered` and `waiting` first, because they refer to the cancelled answer, and lists them for
 * the user; then aborts the turn.
 */
function stopTurn(conversation: Conversation): boolean {
  const { current, waiting, steered } = conversation;
  const dropped = [...steered.values(), ...waiting.splice(0)];
  steered.clear();
  if (dropped.length > 0) {
    const what = dropped.length === 1 ? 'message was' : 'messages were';
    printNote(conversation, `${dropped.length} waiting ${what} dropped: ${dropped.join(' | ')}`);
  }
  if (current === undefined || current.signal.aborted) return false;
  current.abort();
  return true;
}

function endConversation(conversation: Conversation): void {
  stopTurn(conversation);
  conversation.keyboard.close();
}

function statusOf({ agent, sessionKey, current }: Conversation): string {
  return `${agent.name} (${agent.dialect}), conversation ${sessionKey}, ${current === undefined ? 'idle' : 'answering'}.`;
}

function printNote(conversation: Conversation, text: string): void {
  process.stderr.write(`${conversation.style.dim(terminalText(text))}\n`);
  if (conversation.current === undefined || conversation.asking.length > 0) showPrompt(conversation);
}

/** Prints the prompt when stdin is a terminal and still open. */
function showPrompt({ keyboard, closed }: Conversation): void {
  if (!closed && process.stdin.isTTY) keyboard.prompt();
}

function turnOf(conversation: Conversation, text: string): Turn {
  const { sessionKey: key, offer } = conversation;
  const options = Object.keys(offer.chosen).length === 0 ? {} : { options: offer.chosen };
  return createTurn({ id: randomUUID(), text, session: { key, ...options } });
}
