// For `node --require`: each SIGUSR2 sets the process's wall clock otherwise: a year ahead, a year back, right again.
const YEAR_MS = 365 * 24 * 60 * 60_000;
const jumps = [YEAR_MS, -YEAR_MS, 0];
const RightDate = Date;
let offMs = 0;
process.on('SIGUSR2', () => {
  offMs = jumps.shift() ?? 0;
});
globalThis.Date = class extends RightDate {
  constructor(...args) {
    if (args.length === 0) super(RightDate.now() + offMs);
    else super(...args);
  }

  static now() {
    return RightDate.now() + offMs;
  }
};
