import { describe } from 'vitest';
import { codex } from '../src/dialects/codex/index.ts';
import { describeMachine } from './transcript-machine.ts';

describe('codex', () => describeMachine(codex, 'codex'));
