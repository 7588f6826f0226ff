import cp from 'node:child_process';
import { syncBuiltinESMExports } from 'node:module';
const orig=cp.spawn; let s0=0,s1=0,ex=0,so=0,cl=0;
(cp as any).spawn=(...a:any[])=>{s0=performance.now();const c=(orig as any)(...a);s1=performance.now();c.on('exit',()=>{ex=performance.now()});c.stdout.on('end',()=>{so=performance.now()});c.on('close',()=>{cl=performance.now()});return c;};
syncBuiltinESMExports();
const { open } = await import('@plugboard/host');
const { answerers, TERMINAL_FRAMES, terminalProfile, TURN } = await import('./agents/agents.ts');
const { bareTurn } = await import('./agents/turns.ts');
const { interleave, medianOf } = await import('./method/rounds.ts');
const argv=[...answerers().C!,TERMINAL_FRAMES];
const agent=open(terminalProfile(argv),{environment:process.env});
const bare=async()=>{const t=performance.now(); const r=await bareTurn(argv); const d=performance.now(); return {pre:s0-t,spawn:s1-s0,call:0,first:r.first!-(s1-t),exit:ex-s1,end:so-s1,close:cl-s1,after:d-Math.max(ex,so),total:d-t};};
const ours=async()=>{const t=performance.now(); const run=agent.run(TURN); const call=performance.now(); let first=0; for await(const e of run) first||=performance.now(); const d=performance.now(); return {pre:s0-t,spawn:s1-s0,call:call-s1,first:first-s1,exit:ex-s1,end:so-s1,close:cl-s1,after:d-Math.max(ex,so),total:d-t};};
for(let i=0;i<300;i++){await bare();await ours();}
const s=await interleave({bare,ours},{rounds:120,warmUp:5});
for(const n of ['bare','ours']) console.log(n,['pre','spawn','call','first','exit','end','close','after','total'].map(m=>m+' '+medianOf(s,n,m).toFixed(3)).join('  '));
process.exit(0);
