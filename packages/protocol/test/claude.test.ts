import { describe } from 'vitest';
import { claude } from '../src/dialects/claude/index.ts';
import { describeMachine } from './transcript-machine.ts';

describe('claude', () => describeMachine(claude, 'claude'));
