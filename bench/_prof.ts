import { setTimeout as sleep } from 'node:timers/promises';
import { open } from '@plugboard/host';
import { TERMINAL_FRAMES, terminalProfile } from './agents/agents.ts';
import { hostTurn } from './agents/turns.ts';
const argv=['/tmp/sp/answer',TERMINAL_FRAMES];
const agent=open(terminalProfile(argv),{environment:process.env});
for(let i=0;i<600;i++) {await hostTurn(agent); await sleep(8);}
process.exit(0);
