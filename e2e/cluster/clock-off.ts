/**
 * Preloaded into a node (`ClusterOptions.clocks`), whose clock it sets off by so many hours. Timers, and the clock
 * that nobody sets, go on as they are.
 */
const OFF_MS = Number(process.env.CLOCK_OFF_HOURS) * 3_600_000

globalThis.Date = new Proxy(Date, {
  construct: (real, given: [number], made) =>
    Reflect.construct(real, given.length ? given : [real.now() + OFF_MS], made),
  get: (real, name) => (name === 'now' ? () => real.now() + OFF_MS : Reflect.get(real, name)),
})
