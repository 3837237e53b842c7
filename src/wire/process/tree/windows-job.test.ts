import { randomUUID } from 'node:crypto';
import { describe, expect, test, vi } from 'vitest';
import type { ProcessError } from '../../../base/errors.ts';
import { ProcessTree } from './process-tree.ts';
import { type JobCalls, WindowsJob } from './windows-job.ts';

/** Jobs in memory. Using a handle that is not open is an error, because it would affect the job of another server. */
class FakeSystem implements JobCalls {
  readonly jobs = new Map<number, Set<number>>();
  readonly exited = new Set<number>();
  readonly failures: ProcessError[] = [];
  refuses: 'create' | 'assign' | 'terminate' | undefined;
  #last = 100;

  open(): WindowsJob | undefined {
    return WindowsJob.open({ load: () => this, onFailure: (error) => this.failures.push(error) });
  }

  create(): number {
    if (this.refuses === 'create') throw new Error('CreateJobObject failed with Windows error 5.');
    this.#last += 4;
    this.jobs.set(this.#last, new Set());
    return this.#last;
  }

  assign(handle: number, pid: number): boolean {
    if (this.refuses === 'assign') throw new Error('AssignProcessToJobObject failed with Windows error 5.');
    if (this.exited.has(pid)) return false;
    this.#processes(handle).add(pid);
    return true;
  }

  countProcesses(handle: number): number {
    return this.#processes(handle).size;
  }

  terminate(handle: number): boolean {
    if (this.refuses === 'terminate') return false;
    this.#processes(handle).clear();
    return true;
  }

  close(handle: number): void {
    this.#processes(handle);
    this.jobs.delete(handle);
  }

  /** The processes of the only job. */
  get members(): Set<number> {
    const [members] = this.jobs.values();
    if (!members || this.jobs.size > 1) throw new Error(`There are ${this.jobs.size} jobs`);
    return members;
  }

  #processes(handle: number): Set<number> {
    const processes = this.jobs.get(handle);
    if (!processes) throw new Error(`Handle ${handle} is not open`);
    return processes;
  }
}

const leader = 2 ** 22 + 1; // greater than any pid on Linux
const grandchild = leader + 1;
/** Unique on this machine. */
const mark = randomUUID();

describe('a tree with a job', () => {
  test('holds the leader from the turn of its spawn', () => {
    const system = new FakeSystem();
    const tree = new ProcessTree(leader, mark, false, system.open());
    expect([...system.members]).toEqual([leader]);
    expect(tree.alive()).toBe(true);
  });

  test('is alive while a process of the job runs, also after the leader has exited', () => {
    const system = new FakeSystem();
    const tree = new ProcessTree(leader, mark, false, system.open());
    system.members.add(grandchild);
    system.members.delete(leader);
    expect(tree.alive()).toBe(true);
    system.members.delete(grandchild);
    expect(tree.alive()).toBe(false);
  });

  test('is ended as a whole, also after the leader has exited', () => {
    const system = new FakeSystem();
    const tree = new ProcessTree(leader, mark, false, system.open());
    system.members.add(grandchild);
    system.members.delete(leader);
    expect(tree.signal('SIGKILL')).toBe(true);
    expect(tree.alive()).toBe(false);
    expect(tree.signal('SIGKILL')).toBe(false);
  });

  test('stays alive if the system refuses to end it', () => {
    const system = new FakeSystem();
    const tree = new ProcessTree(leader, mark, false, system.open());
    system.refuses = 'terminate';
    expect(tree.signal('SIGKILL')).toBe(false);
    expect(tree.alive()).toBe(true);
  });

  test('has ended once the job is closed', () => {
    const system = new FakeSystem();
    const job = system.open();
    const tree = new ProcessTree(leader, mark, false, job);
    job?.close();
    expect(tree.alive()).toBe(false);
    expect(tree.signal('SIGKILL')).toBe(false);
  });
});

test('a job is closed once', () => {
  const system = new FakeSystem();
  const job = system.open();
  job?.close();
  job?.close();
  expect(system.jobs.size).toBe(0);
  expect(job?.hold(leader)).toBe(false);
});

test('a process that exited before it could be held leaves no open job, and is not a failure', () => {
  const system = new FakeSystem();
  system.exited.add(leader);
  const tree = new ProcessTree(leader, mark, false, system.open());
  expect(system.jobs.size).toBe(0);
  expect(tree.alive()).toBe(false);
  expect(system.failures).toEqual([]);
});

test('a process that the system refuses to hold is a failure, and leaves no open job', () => {
  const system = new FakeSystem();
  system.refuses = 'assign';
  expect(system.open()?.hold(leader)).toBe(false);
  expect(system.jobs.size).toBe(0);
  expect(system.failures).toMatchObject([
    {
      code: 'WATCHDOG_FAILED',
      message: expect.stringContaining('AssignProcessToJobObject failed with Windows error 5'),
    },
  ]);
});

test('servers run without a job if none can be created', () => {
  const system = new FakeSystem();
  system.refuses = 'create';
  expect(system.open()).toBe(undefined);
  expect(system.failures).toMatchObject([
    { message: expect.stringContaining('CreateJobObject failed with Windows error 5') },
  ]);
});

// On Windows the addon is installed.
test.skipIf(process.platform === 'win32')('one warning names the missing package, however many servers start', () => {
  const emitWarning = vi.spyOn(process, 'emitWarning').mockReturnValue();
  expect([WindowsJob.open(), WindowsJob.open()]).toEqual([undefined, undefined]);
  expect(emitWarning.mock.calls).toMatchObject([
    [{ code: 'WATCHDOG_FAILED', message: expect.stringContaining('@koromix/koffi-win32-') }],
  ]);
  emitWarning.mockRestore();
});
