import { spawnerSuite } from './spawner-suite.ts';

spawnerSuite('native');
