import type { Command } from 'commander';
import type { CommandLine, Outcome } from '../program.ts';
export function addCheck(_program: Command, _line: CommandLine, _outcome: Outcome): void {}
