import { type ModelReply, type ModelRequest, type ModelServer, startModelServer } from '@plugboard/testkit';

/** The last thing that was said to the model, and how many messages of the person it has. */
interface Said {
  readonly text: string;
  /** What a tool returned, where that is the last thing. */
  readonly result?: unknown;
  readonly messages: number;
  /** Names of the tools that the request offers; none in a request for a title or the like. */
  readonly tools: readonly string[];
}

// biome-ignore lint/suspicious/noExplicitAny: the four APIs have bodies of their own.
type Body = any;

/**
 * A model that does what the last message says: `think`, `run COMMAND`, `slow`, `error` and a status, `count`; anything else is
 * repeated. Only the last part counts, because a prompt that failed comes again in front of the next one.
 */
export async function startScriptedModel(): Promise<ModelServer> {
  return startModelServer((request, index) => ({ id: `msg_${index}`, ...replyTo(readSaid(request), index) }));
}

function replyTo({ text, result, messages, tools }: Said, index: number): ModelReply {
  // A title, or how hard the question is.
  if (tools.length === 0) return { text: '{"complexity_reasoning":"simple","complexity_score":1}' };
  if (result !== undefined) return { text: `The tool said: ${JSON.stringify(result)}` };
  if (text.startsWith('run ')) {
    const command = text.slice('run '.length);
    return { text: 'I will run it.', calls: [{ id: `toolu_${index}`, ...shellCall(command, tools) }] };
  }
  if (text.startsWith('ask me') && tools.includes('request_user_input'))
    return { text: 'I will ask.', calls: [{ id: `toolu_${index}`, ...QUESTION_CALL }] };
  if (text.startsWith('think')) return { thinking: 'I ponder this.', text: 'Thought done.' };
  if (text.startsWith('slow')) return { text: numberedTicks(), pieceMs: 50 };
  const status = /^error(\d{3})/.exec(text)?.[1];
  if (status !== undefined) return { status: Number(status), error: `scripted ${status}` };
  if (text.startsWith('count')) return { text: `There were ${messages} messages.` };
  return { text: `You said: ${text}` };
}

const QUESTION_CALL = {
  name: 'request_user_input',
  input: {
    questions: [
      {
        id: 'drink',
        header: 'Drink',
        question: 'Tea or coffee?',
        options: [
          { label: 'Tea', description: 'leaf' },
          { label: 'Coffee', description: 'bean' },
        ],
      },
    ],
  },
};

/** No two alike: a program may take a text that repeats itself for a loop. */
function numberedTicks(): string {
  return Array.from({ length: 100 }, (_, index) => `tick${index} `).join('');
}

/** A call of the shell tool that the program has. Codex asks only about a command that is to leave its sandbox. */
function shellCall(command: string, tools: readonly string[]): { name: string; input: object } {
  const description = 'run it';
  if (tools.includes('exec_command')) {
    const sandbox_permissions = 'require_escalated';
    return { name: 'exec_command', input: { cmd: command, sandbox_permissions, justification: description } };
  }
  const name = ['Bash', 'bash', 'run_shell_command'].find((one) => tools.includes(one)) ?? 'Bash';
  return { name, input: { command, description } };
}

function readSaid({ path, body }: ModelRequest): Said {
  if (/\/messages/.test(path)) return readAnthropic(body);
  if (/\/responses/.test(path)) return readResponses(body);
  return /\/models\//.test(path) ? readGemini(body) : readChat(body);
}

/** A reminder of the program's own is not what the person said. */
function isReminder(text: string | undefined): boolean {
  return /^<(system-reminder|session_context|environment_context|user_instructions)>/.test(text ?? '');
}

function said(texts: readonly string[], tools: readonly string[], result?: unknown): Said {
  const text = (texts.at(-1) ?? '').trim();
  return { text, messages: texts.length, tools, ...(result === undefined ? {} : { result }) };
}

function readAnthropic(body: Body): Said {
  const users: Body[] = body.messages.filter(({ role }: Body) => role === 'user');
  const tools = (body.tools ?? []).map(({ name }: Body) => name);
  const { content = '' } = users.at(-1) ?? {};
  const parts: Body[] = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  const last = parts.findLast(({ text }) => !isReminder(text));
  const result = last?.type === 'tool_result' ? last.content : undefined;
  return { ...said([last?.text ?? ''], tools, result), messages: users.length };
}

function readResponses(body: Body): Said {
  const items: Body[] = body.input;
  const offered = items.find(({ type }) => type === 'additional_tools')?.tools ?? body.tools ?? [];
  const tools = offered.map(({ name, type }: Body) => name ?? type);
  const users = items
    .filter(({ role }) => role === 'user')
    .map(({ content }) => content.map(({ text }: Body) => text).join(''))
    .filter((text) => !isReminder(text));
  return said(users, tools, items.at(-1)?.output);
}

function readGemini(body: Body): Said {
  const tools = (body.tools ?? []).flatMap((tool: Body) =>
    (tool.functionDeclarations ?? []).map(({ name }: Body) => name),
  );
  const users: Body[] = body.contents.filter(({ role }: Body) => role === 'user');
  const last = users.at(-1)?.parts.findLast(({ text }: Body) => !isReminder(text));
  const texts = users
    .map(({ parts }) => parts.findLast(({ text }: Body) => text !== undefined && !isReminder(text))?.text)
    .filter((text) => text !== undefined);
  return said(texts, tools, last?.functionResponse?.response);
}

function readChat(body: Body): Said {
  const tools = (body.tools ?? []).map((tool: Body) => tool.function.name);
  const textOf = ({ content }: Body): string =>
    typeof content === 'string' ? content : content.map(({ text }: Body) => text ?? '').join('');
  const users = body.messages.filter(({ role }: Body) => role === 'user').map(textOf);
  const last = body.messages.at(-1);
  return said(users, tools, last?.role === 'tool' ? textOf(last) : undefined);
}
