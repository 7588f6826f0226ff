import { describe } from 'vitest';
import { terminal } from '../src/dialects/terminal/index.ts';
import { describeOneShot } from './one-shot.ts';

describe('terminal transcripts', () => describeOneShot(terminal));
