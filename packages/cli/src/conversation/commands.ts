/** The command or the message in one line that the user typed. */
export type Typed =
  | { readonly kind: 'say'; readonly text: string }
  | { readonly kind: 'stop' | 'new' | 'help' | 'status' | 'options' | 'quit' }
  | { readonly kind: 'set'; readonly option: string; readonly value: string }
  | { readonly kind: 'nothing' };

export const HELP = `/stop    stop the answer
/new     begin a new conversation
/status  which agent, which conversation
/options what the agent lets you set, and its commands
/set     set an option: /set NAME VALUE
/help    this list
/quit    leave (also Ctrl-D)
Anything else is said to the agent; // says a line that begins with a slash.`;

const COMMANDS = {
  '/stop': 'stop',
  '/new': 'new',
  '/help': 'help',
  '/status': 'status',
  '/options': 'options',
  '/quit': 'quit',
  '/exit': 'quit',
} as const;

/** Reads a typed line. Only our own commands are taken away from the agent: any other slash is its business. */
export function readTyped(line: string): Typed {
  const text = line.trim();
  if (text === '') return { kind: 'nothing' };
  const [, option, value] = /^\/set\s+(\S+)\s+(.+)$/.exec(text) ?? [];
  if (option !== undefined && value !== undefined) return { kind: 'set', option, value };
  if (text === '/set') return { kind: 'options' };
  if (Object.hasOwn(COMMANDS, text)) return { kind: COMMANDS[text as keyof typeof COMMANDS] };
  return { kind: 'say', text: text.startsWith('//') ? text.slice(1) : text };
}
