import { it } from 'vitest';
import { expectWholeScenes } from './crash.ts';

it('a writer killed a hundred times leaves a scene old or new in every file', () => expectWholeScenes(100));
