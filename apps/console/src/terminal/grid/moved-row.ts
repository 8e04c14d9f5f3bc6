/** Where a key leads from a row among `count` of them; undefined for one that moves nothing. */
export function movedRow(key: string, from: number, page: number, count: number): number | undefined {
  const steps: Readonly<Record<string, number>> = {
    ArrowDown: from + 1,
    ArrowUp: from - 1,
    PageDown: from + page,
    PageUp: from - page,
    Home: 0,
    End: count - 1,
  }
  const to = Object.hasOwn(steps, key) ? steps[key] : undefined
  return to === undefined || !count ? undefined : Math.max(0, Math.min(count - 1, to))
}
