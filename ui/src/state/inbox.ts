// Processes bursts of work in slices, one per animation frame, so that input and painting are not delayed. The changes of a slice are
// drawn once.

const SLICE_MS = 8;
/** Delay in place of a frame if the page is in the background, where browsers send no frames. */
const FRAME_AT_LATEST_MS = 100;

export class Inbox {
  #jobs: (() => void)[] = [];
  #running = false;

  put(job: () => void): void {
    this.#jobs.push(job);
    if (!this.#running) void this.#run();
  }

  async #run(): Promise<void> {
    this.#running = true;
    while (this.#jobs.length > 0) {
      await nextFrame();
      const until = performance.now() + SLICE_MS;
      let done = 0;
      do attempt(this.#jobs[done++]!);
      while (done < this.#jobs.length && performance.now() < until);
      this.#jobs = this.#jobs.slice(done);
    }
    this.#running = false;
  }
}

/** A failed job must not prevent the others. */
function attempt(job: () => void): void {
  try {
    job();
  } catch (error) {
    reportError(error);
  }
}

function nextFrame(): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, FRAME_AT_LATEST_MS);
    const frame = requestAnimationFrame(done);
    function done(): void {
      clearTimeout(timer);
      cancelAnimationFrame(frame);
      resolve();
    }
  });
}
