/**
 * The ratios that the benchmarks are held to (bench/expected.json): by bench and figure, the ratio, how
 * far a run may be from it, whether more or less of it is better, and how it was measured.
 */

/** Runs differ by as much of the ratio, even where those that were recorded do not. */
const LEAST_SPREAD = 0.1
/** Of a single run nothing says how far others are from it. */
const SPREAD_OF_ONE = 0.2

const rounded = (ratio) => Number(ratio.toPrecision(3))

/**
 * What to expect, from the ratios of several runs of one bench.
 *
 * @param {{ name: string, ratio: number, better: 'more' | 'less' }[][]} runs
 * @param {string} measured when, and on what machine
 */
export function expectationsOf(runs, measured) {
  const names = [...new Set(runs.flat().map(({ name }) => name))]
  return Object.fromEntries(
    names.map((name) => {
      const found = runs.flat().filter((one) => one.name === name)
      const ratios = found.map(({ ratio }) => ratio).sort((one, other) => one - other)
      const middle = ratios[Math.floor(ratios.length / 2)]
      const farthest = Math.max(middle - ratios[0], ratios.at(-1) - middle)
      const least = middle * (ratios.length > 1 ? LEAST_SPREAD : SPREAD_OF_ONE)
      return [
        name,
        {
          ratio: rounded(middle),
          spread: rounded(Math.max(farthest, least)),
          better: found[0].better,
          runs: ratios.length,
          measured,
        },
      ]
    }),
  )
}

/**
 * Compares the ratios of one run of a bench with those that are expected of it.
 *
 * @param {Record<string, { ratio: number, spread: number, better: 'more' | 'less' }>} expected
 * @param {{ name: string, ratio: number, better: 'more' | 'less' }[]} run
 * @returns {{ faults: string[], notes: string[] }} what fell or is measured no longer; what rose or is new
 */
export function compareRatios(expected, run) {
  const faults = []
  const notes = []
  for (const { name, ratio } of run) {
    const known = expected[name]
    if (!known) {
      notes.push(`${name}: ${rounded(ratio)}, of which nothing is expected yet`)
      continue
    }
    const gained = known.better === 'more' ? ratio - known.ratio : known.ratio - ratio
    const text = `${name}: ${rounded(ratio)} instead of ${known.ratio} (spread ${known.spread})`
    // A ratio that is no number has fallen as well.
    if (!(gained >= -known.spread)) faults.push(text)
    else if (gained > known.spread) notes.push(`${text}, better than expected`)
  }
  for (const name of Object.keys(expected))
    if (!run.some((one) => one.name === name)) faults.push(`${name}: measured no longer`)
  return { faults, notes }
}
