import { describe } from 'vitest';
import { codexExec } from '../src/dialects/codex-exec/index.ts';
import { describeMachine } from './transcript-machine.ts';

describe('codex/exec', () => describeMachine(codexExec, 'codex-exec'));
