import { realpathSync } from 'node:fs'
import { readPosixZone, readTimeZone } from '@sallyport/contract/time-zone.ts'

/** Where systems say what zone they are in: a link to the zone's file, or its copy. */
const MACHINE_FILE = '/etc/localtime'
/** In front of a zone's name in the path of its file; the same zone is there again with other seconds. */
const ZONE_FILE = /\/zoneinfo\/(?:posix\/|right\/)?(.+)$/

let kept: { from: string | undefined; zone: string } | undefined

/**
 * The server's own zone: that of the variable TZ, else of the machine; UTC where neither names one. By
 * a name that Node and PostgreSQL know, or an offset (contract, `readTimeZone`). Node itself takes
 * several forms of TZ for UTC in silence, and answers no zone at all for others.
 */
export function serverZone(): string {
  const from = process.env.TZ
  if (kept?.from !== from || !kept) kept = { from, zone: zoneOfVariable(from) ?? 'UTC' }
  return kept.zone
}

/** The zone that the variable TZ names; undefined where it names none. */
export function zoneOfVariable(text: string | undefined): string | undefined {
  if (text === undefined) return zoneOfMachine()
  // A colon in front means that a file follows (POSIX leaves that to systems).
  const name = text.trim().replace(/^:/, '')
  if (name === MACHINE_FILE || name === 'localtime') return zoneOfMachine()
  // Rules for changes of the clocks may follow, as in `CST6CDT,M3.2.0,M11.1.0`.
  return name.startsWith('/') ? zoneOfFile(name) : readPosixZone(name.split(',', 1)[0] ?? '')
}

function zoneOfMachine(): string | undefined {
  return zoneOfFile(MACHINE_FILE) ?? zoneOfNode()
}

function zoneOfFile(path: string): string | undefined {
  try {
    return readTimeZone(ZONE_FILE.exec(realpathSync(path))?.[1])
  } catch {
    return undefined
  }
}

/** Node compares the machine's file with those of all zones: for where it is a copy. */
function zoneOfNode(): string | undefined {
  return readTimeZone(Intl.DateTimeFormat().resolvedOptions().timeZone)
}
