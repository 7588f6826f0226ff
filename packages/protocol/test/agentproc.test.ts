import { describe } from 'vitest';
import { agentproc } from '../src/dialects/agentproc/index.ts';
import { describeOneShot } from './one-shot.ts';

describe('agentproc transcripts', () => describeOneShot(agentproc));
