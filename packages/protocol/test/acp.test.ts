import { describe } from 'vitest';
import { acp } from '../src/dialects/acp/index.ts';
import { describeMachine } from './transcript-machine.ts';

describe('acp', () => describeMachine(acp, 'acp'));
