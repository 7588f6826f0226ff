import { describe } from 'vitest';
import { agentprocV4 } from '../src/dialects/agentproc-v4/index.ts';
import { describeOneShot } from './one-shot.ts';

describe('agentproc/v4 transcripts', () => describeOneShot(agentprocV4, 'agentproc-v4'));
