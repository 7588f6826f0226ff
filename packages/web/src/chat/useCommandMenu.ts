import type { AgentCommand } from '@plugboard/protocol';
import { type KeyboardEvent, useState } from 'react';
import { type Command, suggestCommands } from './commands.ts';

export interface CommandMenu {
  readonly commands: readonly Command[];
  readonly chosen: number;
  pick(command: Command): void;
  /** Returns true when the menu handled the key. */
  take(event: KeyboardEvent): boolean;
}

/** Suggestions of commands, moved through with the arrows. Enter on a whole command sends it. */
export function useCommandMenu(
  text: string,
  setText: (text: string) => void,
  offered: readonly AgentCommand[],
): CommandMenu {
  const [at, setAt] = useState(0);
  const [closedFor, setClosedFor] = useState('');
  const commands = text === closedFor ? [] : suggestCommands(text, offered);
  const chosen = Math.min(at, Math.max(0, commands.length - 1));
  const pick = ({ name, argument }: Command): void => {
    const whole = argument === '' ? name : `${name} `;
    setText(whole);
    setClosedFor(whole);
    setAt(0);
  };
  const take = (event: KeyboardEvent): boolean => {
    const command = commands[chosen];
    if (command === undefined) return false;
    if (event.key === 'ArrowDown') setAt((chosen + 1) % commands.length);
    else if (event.key === 'ArrowUp') setAt((chosen + commands.length - 1) % commands.length);
    else if (event.key === 'Escape') setClosedFor(text);
    else if (event.key === 'Tab' && !event.shiftKey) pick(command);
    else if (event.key === 'Enter' && !event.shiftKey && text !== command.name) pick(command);
    else return false;
    event.preventDefault();
    event.stopPropagation();
    return true;
  };
  return { commands, chosen, pick, take };
}
