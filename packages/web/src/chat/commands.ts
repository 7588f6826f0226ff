import type { AgentCommand } from '@plugboard/protocol';

/** A command that the composer suggests: one of the gateway, or one that the agent understands in a message. */
export interface Command {
  readonly name: string;
  /** What may follow. */
  readonly argument: string;
  readonly about: string;
}

const COMMANDS: readonly Command[] = [
  { name: '/stop', argument: '', about: 'Stop the running turn and empty the line' },
  { name: '/new', argument: '', about: 'Begin a new session' },
  { name: '/status', argument: '', about: 'Say what is going on' },
  { name: '/agent', argument: 'NAME', about: 'Let another agent answer' },
  { name: '/set', argument: 'NAME VALUE', about: 'Set an option of the agent, or list them' },
  { name: '/help', argument: '', about: 'List the commands' },
];

/** More commands of an agent than this are not listed at once. */
const MOST = 12;

/** The commands that begin with `text`; empty after the first space, since only arguments follow. */
export function suggestCommands(text: string, offered: readonly AgentCommand[] = []): readonly Command[] {
  if (!/^\/\S*$/.test(text)) return [];
  const own = new Set(COMMANDS.map(({ name }) => name));
  const others = offered.map(({ name, description, hint }) => ({
    name: `/${name}`,
    argument: hint ?? '',
    about: description,
  }));
  const all = [...COMMANDS, ...others.filter(({ name }) => !own.has(name))];
  return all.filter(({ name }) => name.startsWith(text)).slice(0, MOST);
}
