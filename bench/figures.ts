import { appendFileSync } from 'node:fs'

/** The middle one of some figures. */
export const median = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN

/**
 * Hands a ratio over to `npm run bench -- --check`, which compares it with that of bench/expected.json.
 *
 * @param name the same in every run, and of this bench alone
 * @param better whether more of it is better, as of speed, or less, as of time
 */
export function keepRatio(name: string, ratio: number, better: 'more' | 'less'): void {
  const { BENCH_RATIOS } = process.env
  if (BENCH_RATIOS) appendFileSync(BENCH_RATIOS, `${JSON.stringify({ name, ratio, better })}\n`)
}
