import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { open } from '@plugboard/host';
import { answerers, TERMINAL_FRAMES, terminalProfile, TURN } from './agents/agents.ts';
import { interleave, medianOf } from './method/rounds.ts';
const lang=process.argv[2]??'C';
const argv=[...answerers()[lang]!,TERMINAL_FRAMES];
const agent=open(terminalProfile(argv,{prewarm:1}),{environment:process.env});
const bareWarm=async()=>{
  const c=spawn(argv[0]!,argv.slice(1),{stdio:['pipe','pipe','pipe']});
  await sleep(300);
  const t=performance.now(); let first=0, rest='';
  const done=new Promise<void>(r=>c.on('close',()=>r()));
  c.stdout.on('data',d=>{rest+=d; let i; while((i=rest.indexOf('\n'))>=0){JSON.parse(rest.slice(0,i));rest=rest.slice(i+1);first||=performance.now()-t;}});
  c.stderr.resume(); c.stdin.end('{"version":1,"text":"hi"}\n');
  await done; const dn=performance.now()-t; await sleep(300);
  return {first,done:dn,call:0};
};
const ours=async()=>{
  await sleep(300);
  const t=performance.now(); let first=0;
  const run=agent.run(TURN); const call=performance.now()-t;
  for await (const e of run) first||=performance.now()-t;
  const dn=performance.now()-t; await sleep(300);
  return {first,done:dn,call};
};
const s=await interleave({bareWarm,ours},{rounds:Number(process.argv[3]??25),warmUp:3});
for(const n of ['bareWarm','ours']) console.log(lang,n,'call',medianOf(s,n,'call').toFixed(3),'first',medianOf(s,n,'first').toFixed(3),'done',medianOf(s,n,'done').toFixed(3));
await agent.close(); process.exit(0);
