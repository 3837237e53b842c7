// The console host of a program is in the job of the program, and leaves it some milliseconds after the exit; on Windows it is outside.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';

const kernel = createRequire(import.meta.url)(`@koromix/koffi-win32-${process.arch}`).load('kernel32.dll');
const job = kernel.func('intptr_t CreateJobObjectW(intptr_t attributes, intptr_t name)')(0, 0);
const child = spawn(process.execPath, ['-e', 'console.log(1); process.stdin.resume()'], { windowsHide: true });
const handle = kernel.func('intptr_t OpenProcess(uint32_t access, int inherit, uint32_t pid)')(0x101, 0, child.pid);
kernel.func('int AssignProcessToJobObject(intptr_t job, intptr_t process)')(job, handle);
await once(child.stdout, 'data');
const accounting = Buffer.alloc(48);
const query = 'int QueryInformationJobObject(intptr_t job, int kind, void *info, uint32_t length, intptr_t returned)';
kernel.func(query)(job, 1, accounting, 48, 0);
child.kill();
process.exit(accounting.readUInt32LE(40) === 1 ? 0 : 1); // processes in the job
