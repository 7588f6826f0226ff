import { randomUUID } from 'node:crypto';
import { createInterface, type Interface } from 'node:readline';
import type { Event, OpenAgent } from '@plugboard/host';
import { createTurn, type Turn, terminalText } from '@plugboard/protocol';
import { createPrinter } from '../screen/printer.ts';
import { type Style, styleFor } from '../screen/style.ts';
import { watchInterruption } from '../signals.ts';
import { HELP, readTyped, type Typed } from './commands.ts';

/** How a conversation begins. */
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
  /** Lines said while the agent was busy and could not be steered. */
  readonly waiting: string[];
  current: AbortController | undefined;
  /** Settles when nothing is being answered. */
  idle: Promise<void>;
  failed: boolean;
  /** No more will be typed. */
  closed: boolean;
  /** Settles when what is being shown has been shown. */
  shown: Promise<void>;
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
    waiting: [],
    current: undefined,
    idle: Promise.resolve(),
    failed: false,
    closed: false,
    shown: Promise.resolve(),
  };
  greet(conversation);
  const unasked = showUnasked(conversation);
  keyboard.on('close', () => {
    conversation.closed = true;
  });
  keyboard.on('SIGINT', () => interrupt(conversation));
  // Signals that do not come from the keyboard, and those that come when it is closed.
  const interruption = watchInterruption(() => void agent.close({ graceMs: 0 }));
  interruption.signal.addEventListener('abort', () => leave(conversation));
  invite(conversation);
  for await (const line of keyboard) {
    if (!obey(conversation, readTyped(line))) break;
  }
  await conversation.idle;
  if (!interruption.signal.aborted) await agent.resident?.whenIdle();
  await agent.close();
  await unasked;
  keyboard.close();
  interruption.dispose();
  return interruption.exitCode ?? (conversation.failed && !process.stdin.isTTY ? 1 : 0);
}

function greet({ agent, style }: Conversation): void {
  if (!process.stdin.isTTY) return;
  process.stderr.write(
    style.dim(`Talking to ${agent.name} (${agent.dialect}). /help lists commands, /quit leaves.\n`),
  );
}

/** Does what was typed; false when the person wants to leave. */
function obey(conversation: Conversation, typed: Typed): boolean {
  switch (typed.kind) {
    case 'quit':
      stop(conversation);
      return false;
    case 'stop':
      if (!stop(conversation)) note(conversation, 'Nothing is running.');
      break;
    case 'new':
      note(conversation, beginAnew(conversation));
      break;
    case 'help':
      note(conversation, HELP);
      break;
    case 'status':
      note(conversation, statusOf(conversation));
      break;
    case 'say':
      hear(conversation, typed.text);
      break;
    case 'nothing':
      if (conversation.current === undefined) invite(conversation);
  }
  return true;
}

function beginAnew(conversation: Conversation): string {
  if (conversation.agent.capabilities.resident)
    return 'This agent has one conversation for ever; it goes on.';
  conversation.sessionKey = randomUUID();
  return 'A new conversation.';
}

function hear(conversation: Conversation, text: string): void {
  const { agent, current } = conversation;
  if (current === undefined) {
    conversation.idle = answer(conversation, text);
  } else if (agent.resident?.steer(turnOf(conversation, text)) !== true) {
    conversation.waiting.push(text);
    note(conversation, 'The agent is busy; this comes next.');
  }
}

async function answer(conversation: Conversation, first: string): Promise<void> {
  for (let text: string | undefined = first; text !== undefined; text = conversation.waiting.shift()) {
    const controller = new AbortController();
    conversation.current = controller;
    const run = conversation.agent.run(turnOf(conversation, text), controller.signal);
    const showing = print(conversation, run);
    conversation.shown = showing.then(() => {});
    conversation.failed = !(await showing);
    conversation.current = undefined;
  }
  invite(conversation);
}

/** Prints a turn; true when it ended well. */
async function print(
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
    await printer.print(event);
    if (event.type === 'queued') note(conversation, `Passed on; ${event.position} waiting.`);
    if (event.type === 'steered') note(conversation, 'The agent has taken it in.');
    if (event.type === 'end') succeeded = event.outcome === 'success';
    if (event.type === 'end' && event.outcome === 'cancelled') note(conversation, 'Stopped.');
  }
  printer.finish();
  return succeeded;
}

/** What an agent says by itself is shown when no answer is being shown: the two must not run into each other. */
async function showUnasked(conversation: Conversation): Promise<void> {
  for await (const run of conversation.agent.resident?.unasked() ?? []) {
    const events: Event[] = [];
    for await (const event of run) events.push(event);
    await conversation.shown;
    await print(conversation, events);
    invite(conversation);
  }
}

/** The first Ctrl-C stops the answer, the second does not wait for it; with nothing to stop it leaves. */
function interrupt(conversation: Conversation): void {
  if (stop(conversation)) return;
  if (conversation.current !== undefined) void conversation.agent.close({ graceMs: 0 });
  leave(conversation);
}

/** What waits is dropped first: it was said to an answer that is no longer wanted. Whoever said it is told. */
function stop(conversation: Conversation): boolean {
  const { current, waiting } = conversation;
  const dropped = waiting.splice(0);
  if (dropped.length > 0) {
    const what = dropped.length === 1 ? 'message was' : 'messages were';
    note(conversation, `${dropped.length} waiting ${what} dropped: ${dropped.join(' | ')}`);
  }
  if (current === undefined || current.signal.aborted) return false;
  current.abort();
  return true;
}

function leave(conversation: Conversation): void {
  stop(conversation);
  conversation.keyboard.close();
}

function statusOf({ agent, sessionKey, current }: Conversation): string {
  return `${agent.name} (${agent.dialect}), conversation ${sessionKey}, ${current === undefined ? 'idle' : 'answering'}.`;
}

function note(conversation: Conversation, text: string): void {
  process.stderr.write(`${conversation.style.dim(terminalText(text))}\n`);
  if (conversation.current === undefined) invite(conversation);
}

/** Shows that something can be typed, to somebody who can. */
function invite({ keyboard, closed }: Conversation): void {
  if (!closed && process.stdin.isTTY) keyboard.prompt();
}

function turnOf(conversation: Conversation, text: string): Turn {
  return createTurn({ id: randomUUID(), text, session: { key: conversation.sessionKey } });
}
