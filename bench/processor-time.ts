import { readdirSync, readFileSync } from 'node:fs'

/** A clock tick, in which Linux counts processor time. */
const TICK_MS = 10

/** Fields of `/proc/<pid>/stat` behind the name, which may contain anything. */
function statOf(pid: number | string): number[] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number)
  } catch {
    return undefined // ended meanwhile
  }
}

/**
 * Milliseconds of processor time so far: `own` of a process with all its threads, and `below` of
 * those that it started, and they in turn, ended ones included.
 */
export function processorTime(pid: number): { own: number; below: number } {
  const children = new Map<number, number[]>()
  for (const name of readdirSync('/proc')) {
    const parent = /^\d+$/.test(name) ? statOf(name)?.[1] : undefined
    if (parent) children.set(parent, [...(children.get(parent) ?? []), Number(name)])
  }
  const time = (one: number) => {
    const [user = 0, system = 0, userOfEnded = 0, systemOfEnded = 0] = statOf(one)?.slice(11, 15) ?? []
    return { own: (user + system) * TICK_MS, ended: (userOfEnded + systemOfEnded) * TICK_MS }
  }
  const whole = (one: number): number => {
    const { own, ended } = time(one)
    return own + ended + below(one)
  }
  const below = (one: number): number => (children.get(one) ?? []).reduce((sum, child) => sum + whole(child), 0)
  return { own: time(pid).own, below: time(pid).ended + below(pid) }
}
