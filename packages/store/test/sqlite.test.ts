import { describeStore } from './contract-suite.ts';
import { openFile } from './files.ts';

describeStore('sqlite', openFile);
