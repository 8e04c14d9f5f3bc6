type Values = readonly (number | null)[]

/** Numbers of a path are short: there are some hundred points in each of twenty charts. */
const y = (value: number, top: number) => Math.round((100 - (value / top) * 100) * 10) / 10

/** Runs of points that were measured, as `[first index, values]`. */
function runs(values: Values): [from: number, run: number[]][] {
  const found: [number, number[]][] = []
  for (const [at, value] of values.entries()) {
    if (value === null) continue
    const last = found.at(-1)
    if (last && last[0] + last[1].length === at) last[1].push(value)
    else found.push([at, [value]])
  }
  return found
}

/** A line through what was measured, interrupted where nothing was; heights from 0 to `top`. */
export const lineOf = (values: Values, top: number): string =>
  runs(values)
    .map(([from, run]) => {
      const points = run.map((value, n) => `${from + n} ${y(value, top)}`).join('L')
      // A point alone is a line of no length, drawn by its round ends.
      return `M${points}${run.length === 1 ? 'h0' : ''}`
    })
    .join('')

/** The ground below the line. */
export const areaOf = (values: Values, top: number): string =>
  runs(values)
    .map(([from, run]) => {
      const points = run.map((value, n) => `L${from + n} ${y(value, top)}`).join('')
      return `M${from} 100${points}L${from + run.length - 1} 100Z`
    })
    .join('')
