/** The gateway's own commands, as the composer suggests them. The gateway decides what they do. */
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
  { name: '/help', argument: '', about: 'List the commands' },
];

/** What fits to the text so far: only while its first word is being written, and nothing else. */
export function suggest(text: string): readonly Command[] {
  return /^\/[a-z]*$/.test(text) ? COMMANDS.filter(({ name }) => name.startsWith(text)) : [];
}
