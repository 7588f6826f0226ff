import { nearest } from '@plugboard/host';
import type { Command, CommanderError } from 'commander';
import type { CommandLine } from './command-line.ts';
import { CommandFailure } from './failure.ts';
import { fullName, separatorAdvice } from './forgotten.ts';

/** Makes `command` and its subcommands report usage errors as a `CommandFailure`, in one line. */
export function unifyUsageErrors(command: Command, line: CommandLine): void {
  command.configureOutput({ outputError: () => {} }).exitOverride((error) => {
    throw isHelp(error) ? error : new CommandFailure(sentenceFor(command, error, line));
  });
  for (const below of command.commands) unifyUsageErrors(below, line);
}

/** Throws when `help` names an unknown command. */
export function demandTopic(program: Command, words: readonly string[]): void {
  let at = program;
  for (const [index, word] of words.entries()) {
    if (word === 'help') return knownTopic(at, words[index + 1]);
    const next = at.commands.find((command) => command.name() === word);
    if (next === undefined || next.commands.length === 0) return;
    at = next;
  }
}

function knownTopic(command: Command, topic: string | undefined): void {
  const names = command.commands.map((below) => below.name());
  if (topic === undefined || topic === 'help' || topic.startsWith('-') || names.includes(topic)) return;
  const meant = nearest(topic, names);
  const hint = meant === undefined ? '' : ` Did you mean ${meant}?`;
  throw new CommandFailure(`Unknown command '${topic}'.${hint} ${whereToLook(command)}`);
}

function isHelp({ code, exitCode }: CommanderError): boolean {
  return exitCode === 0 || code === 'commander.help';
}

function sentenceFor(command: Command, { code, message }: CommanderError, line: CommandLine): string {
  const [said = '', ...hints] = message.replace(/^error: /, '').split('\n');
  const sentence = `${said.charAt(0).toUpperCase()}${said.slice(1)}${/[.?!]$/.test(said) ? '' : '.'}`;
  const hint = hints.map((text) => text.replace(/^\((.*)\)$/, ' $1')).join('');
  const advice = code === 'commander.excessArguments' ? separatorAdvice(command, line) : undefined;
  return `${sentence}${hint} ${advice ?? whereToLook(command)}`;
}

function whereToLook(command: Command): string {
  return `Run ${fullName(command)} --help to see what ${command.parent === null ? 'there is' : 'it takes'}.`;
}
