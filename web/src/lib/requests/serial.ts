/** Runs tasks one after the other. A task that fails does not keep the next one from running. */
export class Serial {
  private last: Promise<unknown> = Promise.resolve();
  private waiting = 0;

  get isIdle(): boolean {
    return this.waiting === 0;
  }

  run(task: () => Promise<unknown>): Promise<void> {
    this.waiting += 1;
    const done = this.last.then(task).then(
      () => undefined,
      () => undefined,
    );
    this.last = done;
    return done.finally(() => {
      this.waiting -= 1;
    });
  }
}
