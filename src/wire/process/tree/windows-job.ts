// A Windows job object holds a server and every process that it starts, including detached ones, until they exit. One call ends all of
// them, and the system does so when the last handle of the job is closed, even if this process is killed. The handle is not inherited: a
// server that had it would keep its own job open.
// Not held: processes that the server started between its spawn and `hold`, in the same turn; processes that leave the job on purpose
// (CREATE_BREAKAWAY_FROM_JOB), which is allowed because programs that try it fail otherwise; processes that a Windows service starts on
// request (WMI, the task scheduler).
// Node.js has no job objects. The calls are made with the koffi addon for this platform: an optional dependency without an install script,
// 1 MB, that other systems do not install. It is loaded with the first server.

import { createRequire } from 'node:module';
import { ProcessError, toError } from '../../../base/errors.ts';

/** The Windows calls for a job, addressed by its handle. */
export interface JobCalls {
  /** Creates a job whose processes are ended when its handle is closed. Throws if the system refuses. */
  create(): number;
  /** Returns false if the process has exited. Throws if the system refuses. */
  assign(handle: number, pid: number): boolean;
  countProcesses(handle: number): number;
  /** Returns false if the system refuses, for example for a process with higher rights. */
  terminate(handle: number): boolean;
  close(handle: number): void;
}

export interface WindowsJobOptions {
  /** Throws if job objects cannot be used. */
  load?: () => JobCalls;
  /** Called with the reason if servers run without a job. Default: one process warning. */
  onFailure?: (error: ProcessError) => void;
}

export class WindowsJob {
  readonly #calls: JobCalls;
  readonly #onFailure: (error: ProcessError) => void;
  #handle: number | undefined;

  /** Must be opened before the spawn, and `hold` must follow the spawn in the same turn. Undefined if jobs are unavailable. */
  static open({ load = loadCalls, onFailure = warnOnce }: WindowsJobOptions = {}): WindowsJob | undefined {
    try {
      return new WindowsJob(load(), onFailure);
    } catch (error) {
      onFailure(unguarded(toError(error)));
      return undefined;
    }
  }

  private constructor(calls: JobCalls, onFailure: (error: ProcessError) => void) {
    this.#calls = calls;
    this.#onFailure = onFailure;
    this.#handle = calls.create();
  }

  /**
   * Returns false if the process is not in the job, because it has exited or the system refused. The job is then
   * closed.
   */
  hold(pid: number): boolean {
    if (this.#handle === undefined) return false;
    let held = false;
    try {
      held = this.#calls.assign(this.#handle, pid);
    } catch (error) {
      this.#onFailure(unguarded(toError(error)));
    }
    if (!held) this.close();
    return held;
  }

  /** Returns true if a process of the job is running. */
  alive(): boolean {
    return this.#handle !== undefined && this.#calls.countProcesses(this.#handle) > 0;
  }

  /** Ends all processes of the job. False if there was none, or the system refused. */
  terminate(): boolean {
    return this.#handle !== undefined && this.alive() && this.#calls.terminate(this.#handle);
  }

  /** Closes the handle, which ends the remaining processes of the job. */
  close(): void {
    const handle = this.#handle;
    this.#handle = undefined; // Windows may reuse the handle value
    if (handle !== undefined) this.#calls.close(handle);
  }
}

let hasWarned = false;

function warnOnce(error: ProcessError): void {
  if (hasWarned) return;
  hasWarned = true;
  process.emitWarning(error);
}

/** A process warning is printed without its hint, so the message contains everything. */
function unguarded(cause: Error): ProcessError {
  const [reason] = cause.message.split('\n', 1); // drops the lines that follow in Node.js: the files that required a missing module
  const hint = 'Install Standpipe with its optional dependencies, for Node.js on x64 or arm64.';
  const effect = 'Processes that a server started can outlive it, and this process if it is killed.';
  const message = `Servers run without a job object. ${effect} ${hint} Reason: ${reason}`;
  return new ProcessError('WATCHDOG_FAILED', message, { hint, cause });
}

/** The part of koffi that is used: functions of a library by their C declaration. */
interface Koffi {
  load(library: string): { func(declaration: string): (...args: unknown[]) => number };
}

let loadedCalls: JobCalls | undefined;

function loadCalls(): JobCalls {
  loadedCalls ??= jobCalls(createRequire(import.meta.url)(`@koromix/koffi-win32-${process.arch}`) as Koffi);
  return loadedCalls;
}

// constants of winnt.h
const PROCESS_TERMINATE = 0x0001;
const PROCESS_SET_QUOTA = 0x0100;
const SYNCHRONIZE = 0x0010_0000;
const LIMIT_BREAKAWAY_OK = 0x0800;
const LIMIT_KILL_ON_JOB_CLOSE = 0x2000;
const BASIC_ACCOUNTING_INFORMATION = { number: 1, bytes: 48, activeProcesses: 40 };
const EXTENDED_LIMIT_INFORMATION = { number: 9, bytes: 144, limitFlags: 16 };
const ERROR_INVALID_PARAMETER = 87;

function jobCalls(koffi: Koffi): JobCalls {
  const kernel = koffi.load('kernel32.dll');
  const createJob = kernel.func('intptr_t CreateJobObjectW(intptr_t attributes, intptr_t name)');
  const set = kernel.func('int SetInformationJobObject(intptr_t job, int kind, void *info, uint32_t length)');
  const query = kernel.func(
    'int QueryInformationJobObject(intptr_t job, int kind, void *info, uint32_t length, intptr_t returned)',
  );
  const openProcess = kernel.func('intptr_t OpenProcess(uint32_t access, int inherit, uint32_t pid)');
  const assignProcess = kernel.func('int AssignProcessToJobObject(intptr_t job, intptr_t process)');
  const waitFor = kernel.func('uint32_t WaitForSingleObject(intptr_t handle, uint32_t timeoutMs)');
  const terminateJob = kernel.func('int TerminateJobObject(intptr_t job, uint32_t exitCode)');
  const closeHandle = kernel.func('int CloseHandle(intptr_t handle)');
  const lastError = kernel.func('uint32_t GetLastError()');
  const failed = (name: string) => new Error(`${name} failed with Windows error ${lastError()}.`);
  return {
    create() {
      const handle = createJob(0, 0);
      if (handle === 0) throw failed('CreateJobObject');
      const { number, bytes, limitFlags } = EXTENDED_LIMIT_INFORMATION;
      const limits = Buffer.alloc(bytes);
      limits.writeUInt32LE(LIMIT_KILL_ON_JOB_CLOSE | LIMIT_BREAKAWAY_OK, limitFlags);
      if (set(handle, number, limits, bytes) !== 0) return handle;
      const error = failed('SetInformationJobObject');
      closeHandle(handle);
      throw error;
    },
    assign(handle, pid) {
      const child = openProcess(PROCESS_SET_QUOTA | PROCESS_TERMINATE | SYNCHRONIZE, 0, pid);
      if (child === 0) {
        if (lastError() === ERROR_INVALID_PARAMETER) return false; // there is no such process
        throw failed('OpenProcess');
      }
      try {
        if (assignProcess(handle, child) !== 0) return true;
        const error = failed('AssignProcessToJobObject');
        if (waitFor(child, 0) === 0) return false;
        throw error;
      } finally {
        closeHandle(child);
      }
    },
    countProcesses(handle) {
      const { number, bytes, activeProcesses } = BASIC_ACCOUNTING_INFORMATION;
      const accounting = Buffer.alloc(bytes); // the bytes stay 0 if the call fails, which it does only without a job
      query(handle, number, accounting, bytes, 0);
      return accounting.readUInt32LE(activeProcesses);
    },
    terminate: (handle) => terminateJob(handle, 1) !== 0,
    close: (handle) => void closeHandle(handle),
  };
}
