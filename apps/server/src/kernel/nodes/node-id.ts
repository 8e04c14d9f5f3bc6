import { randomUUID } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/**
 * The identity of this node, which it keeps with its data directory: what is stored there, such as
 * recordings, is found again after a restart. Created at the first start.
 */
export function nodeId(dataDirectory: string): string {
  const path = fileIn(dataDirectory)
  const known = read(path)
  if (known) return known
  const made = randomUUID()
  mkdirSync(dataDirectory, { recursive: true, mode: 0o700 })
  writeFileSync(path, `${made}\n`, { mode: 0o600 })
  return made
}

/** The same where there is one already; makes none. */
export const knownNodeId = (dataDirectory: string): string | undefined => read(fileIn(dataDirectory))

const fileIn = (dataDirectory: string) => join(dataDirectory, 'node-id')

/** Undefined when the file is missing or holds no UUID. */
function read(path: string): string | undefined {
  try {
    const text = readFileSync(path, 'utf8').trim()
    return UUID.test(text) ? text : undefined
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
