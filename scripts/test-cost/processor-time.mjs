/** What processes have taken of the processor, from Linux's `/proc` (`man 5 proc`). */
import { readdirSync, readFileSync } from 'node:fs'

/** Linux counts in hundredths of a second. */
const TICKS = 100

/** Seconds of this process's children that have ended, and of all that run below it now. */
export function childrenSeconds() {
  let ticks = 0
  for (const one of family()) ticks += one.id === process.pid ? one.ended : one.own + one.ended
  return ticks / TICKS
}

/** Seconds of this process and, by name, of those that run below it and serve all files. */
export function sharedProcesses() {
  const seconds = new Map()
  for (const { id, name, own, ended } of family()) {
    const shown = id === process.pid ? 'the runner itself' : name
    seconds.set(shown, (seconds.get(shown) ?? 0) + own + (id === process.pid ? 0 : ended))
  }
  return [...seconds].map(([name, ticks]) => ({ process: name, processor: ticks / TICKS }))
}

/** This process and all below it: `own` and, of those that it waited for, `ended`, in ticks. */
function family() {
  const all = new Map(
    readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .flatMap((name) => statOf(name)),
  )
  const isOurs = (id) => {
    for (let at = id; at > 1; at = all.get(at)?.parent ?? 0) if (at === process.pid) return true
    return false
  }
  return [...all.values()].filter(({ id }) => isOurs(id))
}

/** Nothing where it has ended meanwhile. */
function statOf(id) {
  try {
    const text = readFileSync(`/proc/${id}/stat`, 'utf8')
    const end = text.lastIndexOf(')')
    const fields = text.slice(end + 2).split(' ')
    const [user, system, endedUser, endedSystem] = fields.slice(11, 15).map(Number)
    const name = text.slice(text.indexOf('(') + 1, end)
    return [
      [
        Number(id),
        { id: Number(id), name, parent: Number(fields[1]), own: user + system, ended: endedUser + endedSystem },
      ],
    ]
  } catch {
    return []
  }
}
