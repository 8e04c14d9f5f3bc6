import { randomUUID } from 'node:crypto'
import { lstat, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Check, NotChecked, notChecked, type Outcome, ok, wrong } from '../check.ts'
import { lineOf } from '../line-of.ts'

/** Accounts other than the owner and root may not read, change or enter. */
const OTHERS = 0o077
/** Root's data directory lets the account of the database pass through. */
const PASS_THROUGH = 0o011
/** Made to be given to others, and what the check below writes. */
const PUBLIC = /^(license-public-key\.pem|\.doctor-.*)$/
const NAMED = 5

const modes: Check = {
  name: 'files.modes',
  title: 'Private files',
  async run({ config: { dataDirectory: folder } }) {
    const entries = await readdir(folder).catch((error) => {
      throw unreadable(folder, error)
    })
    const { mode, uid } = await lstat(folder)
    const open = (mode & OTHERS & ~PASS_THROUGH) !== 0 ? [folder] : []
    const foreign: string[] = []
    for (const name of entries) {
      const found = await lstat(join(folder, name)).catch(() => undefined)
      if (!found || found.isSymbolicLink() || PUBLIC.test(name)) continue
      if (found.isFile() && (found.mode & OTHERS) !== 0) open.push(join(folder, name))
      // Root's database has files of another account, in a folder of its own.
      if (found.isFile() && found.uid !== uid) foreign.push(join(folder, name))
    }
    return [...openOutcomes(open), ...foreignOutcomes(foreign, folder)].concat(
      open.length || foreign.length ? [] : ok((say) => say('Nobody else may read {{folder}}.', { folder })),
    )
  },
}

function openOutcomes(paths: readonly string[]): Outcome[] {
  if (!paths.length) return []
  const values = { paths: list(paths), arguments: paths.slice(0, NAMED).join(' ') }
  return [
    wrong(
      (say) => say('Others on this machine may read or change {{paths}}.', values),
      (say) => say('Take the right from them: chmod go= {{arguments}}', values),
    ),
  ]
}

function foreignOutcomes(paths: readonly string[], folder: string): Outcome[] {
  if (!paths.length) return []
  const values = { paths: list(paths), folder, arguments: paths.slice(0, NAMED).join(' ') }
  return [
    wrong(
      (say) => say('{{paths}} belong to another account than {{folder}}.', values),
      (say) => say('Give them to the account of the service: chown --reference={{folder}} {{arguments}}', values),
    ),
  ]
}

const list = (paths: readonly string[]) =>
  `${paths.slice(0, NAMED).join(', ')}${paths.length > NAMED ? `, … (${paths.length})` : ''}`

const writable: Check = {
  name: 'files.writable',
  title: 'Data directory',
  async run({ config: { dataDirectory: folder } }) {
    const path = join(folder, `.doctor-${randomUUID()}`)
    const values = { folder }
    try {
      await readdir(folder).catch((error) => {
        throw unreadable(folder, error)
      })
      await writeFile(path, Buffer.alloc(4096, 1), { mode: 0o600, flush: true })
      return ok((say) => say('{{folder}} can be written to.', values))
    } catch (error) {
      if (error instanceof NotChecked) return notChecked(error.words, error.mend)
      const reason = lineOf(error)
      return wrong(
        (say) => say('{{folder}} cannot be written to: {{reason}}', { ...values, reason }),
        (say) =>
          (error as NodeJS.ErrnoException).code === 'ENOSPC'
            ? say('Make room on its disk: nothing is recorded, and no session begins, without it.')
            : say('Let the account of the service write there, and mount the disk for writing.'),
      )
    } finally {
      await rm(path, { force: true }).catch(() => {})
    }
  },
}

function unreadable(folder: string, error: unknown): Error {
  const { code } = error as NodeJS.ErrnoException
  const reason = lineOf(error)
  if (code !== 'ENOENT') return error as Error
  return new NotChecked(
    (say) => say('There is no folder {{folder}} yet.', { folder, reason }),
    (say) => say('Start Sallyport, or name the folder of the installation in SALLYPORT_DATA_DIR.'),
  )
}

export default [modes, writable]
