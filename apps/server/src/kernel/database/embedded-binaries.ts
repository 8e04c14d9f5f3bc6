import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readdir, readFile, realpath } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { StartRefusal } from '../start-refusal.ts'
import { bundledFolder } from './embedded-bundled.ts'
import { EXTENSIONS, OLDEST_POSTGRES } from './postgres-versions.ts'

/** Where distributions have PostgreSQL's programs: Debian and its kin, and the packages of postgresql.org for others. */
const PLACES = [
  { folder: '/usr/lib/postgresql', versions: /^(\d+)$/ },
  { folder: '/usr', versions: /^pgsql-(\d+)$/ },
] as const
/** Instead of a folder: those that the distribution has. */
export const OF_DISTRIBUTION = 'distribution'

export interface PostgresBinaries {
  /** Folder that holds `bin`. */
  root: string
  initdb: string
  postgres: string
  /** As 18.4. */
  version: string
  major: number
  /** Whether they came with Sallyport, and are its own to change. */
  isBundled: boolean
}

/**
 * PostgreSQL's programs for the files in a directory. Files keep the major version that they were
 * made with: without a choice of the operator, those that came with Sallyport if they are of that
 * version, else the distribution's of that version. New files are made by those that came with
 * Sallyport, else by the newest that the distribution has. Changes nothing.
 * @param named SALLYPORT_POSTGRES_BIN: a folder, or `distribution`
 * @throws StartRefusal in one sentence where there are none that fit
 */
export async function choosePostgres(directory: string, named?: string): Promise<PostgresBinaries> {
  const made = await versionOfFiles(directory)
  if (named && named !== OF_DISTRIBUTION) return fromFolder(resolve(named), made, directory)
  if (!named) {
    const root = await bundledFolder()
    const bundled = root && (await programsIn(join(root, 'bin'), true))
    if (bundled && (made ?? bundled.major) === bundled.major) return bundled
  }
  const folders = await foldersOfDistribution()
  const [newest] = folders
  const found = made === undefined ? newest : folders.find(({ major }) => major === made)
  if (found) return withExtensions(await programsIn(found.folder), found.folder)
  throw new StartRefusal(nothingFits(directory, made, named))
}

function nothingFits(directory: string, made: number | undefined, named: string | undefined): string {
  if (made !== undefined)
    return `${directory} holds a database of PostgreSQL ${made}, whose programs are not here: install them (the package postgresql-${made}), name their folder in SALLYPORT_POSTGRES_BIN, or dump it with ${made} and restore it into another data directory`
  return named
    ? `SALLYPORT_POSTGRES_BIN is ${OF_DISTRIBUTION}, and there is no PostgreSQL ${OLDEST_POSTGRES} or newer in /usr/lib/postgresql: install the distribution's package (postgresql), or name the folder of its programs`
    : `No PostgreSQL came with Sallyport for this machine (${process.platform}-${process.arch}), and there is none in /usr/lib/postgresql: install the distribution's package (postgresql), name the folder of its programs in SALLYPORT_POSTGRES_BIN, or a server of your own in DATABASE_URL`
}

async function fromFolder(folder: string, made: number | undefined, directory: string): Promise<PostgresBinaries> {
  const missing = ['initdb', 'postgres'].filter((name) => !existsSync(join(folder, name)))
  if (missing.length)
    throw new StartRefusal(
      `SALLYPORT_POSTGRES_BIN names ${folder}, where there is no ${missing.join(' and no ')}: name the folder of PostgreSQL's programs, such as /usr/lib/postgresql/15/bin`,
    )
  const programs = await programsIn(folder)
  if (programs.major < OLDEST_POSTGRES)
    throw new StartRefusal(
      `SALLYPORT_POSTGRES_BIN names PostgreSQL ${programs.version} in ${folder}: Sallyport needs ${OLDEST_POSTGRES} or newer`,
    )
  if (made !== undefined && made !== programs.major)
    throw new StartRefusal(
      `${directory} holds a database of PostgreSQL ${made}, and SALLYPORT_POSTGRES_BIN names PostgreSQL ${programs.version}: name the programs of ${made}, or dump it with those and restore it into another data directory`,
    )
  return withExtensions(programs, folder)
}

/** The major version of a database's files; undefined where there are none. */
async function versionOfFiles(directory: string): Promise<number | undefined> {
  const text = await readFile(join(directory, 'PG_VERSION'), 'utf8').catch(() => undefined)
  if (text === undefined) return undefined
  const major = Number(text.trim())
  if (!Number.isInteger(major))
    throw new StartRefusal(`${join(directory, 'PG_VERSION')} names no version of PostgreSQL: restore the backup of it`)
  return major
}

const run = promisify(execFile)

/** @throws StartRefusal where they do not run on this machine */
async function programsIn(folder: string, isBundled = false): Promise<PostgresBinaries> {
  const programs = { initdb: join(folder, 'initdb'), postgres: join(folder, 'postgres') }
  const { stdout } = await run(programs.postgres, ['--version']).catch(
    (error: { stderr?: string; message: string }) => {
      const [words] = (error.stderr || error.message).trim().split('\n')
      throw new StartRefusal(
        `PostgreSQL in ${folder} does not run on this machine (${words}): name the folder of another in SALLYPORT_POSTGRES_BIN`,
      )
    },
  )
  const [, version = '', major] = /\(PostgreSQL\) ((\d+)\S*)/.exec(stdout) ?? []
  if (!major) throw new StartRefusal(`${programs.postgres} is not PostgreSQL: it says ${stdout.trim().slice(0, 100)}`)
  return { root: dirname(await realpath(folder)), ...programs, version, major: Number(major), isBundled }
}

/** Some distributions have extensions in a package of their own. */
async function withExtensions(programs: PostgresBinaries, folder: string): Promise<PostgresBinaries> {
  const share = await run(join(folder, 'pg_config'), ['--sharedir']).then(
    ({ stdout }) => stdout.trim(),
    () => undefined,
  )
  const missing = EXTENSIONS.filter((name) => share && !existsSync(join(share, 'extension', `${name}.control`)))
  if (missing.length)
    throw new StartRefusal(
      `PostgreSQL ${programs.version} in ${folder} does not have the extension ${missing.join(' and ')}: install the package with its additional modules (postgresql-contrib)`,
    )
  return programs
}

/** Folders of programs that the distribution has, of versions that fit, the newest first. */
async function foldersOfDistribution(): Promise<{ folder: string; major: number }[]> {
  const found: { folder: string; major: number }[] = []
  for (const { folder: place, versions } of PLACES)
    for (const name of await readdir(place).catch(() => [])) {
      const major = Number(versions.exec(name)?.[1] ?? 0)
      const folder = join(place, name, 'bin')
      if (major >= OLDEST_POSTGRES && existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'postgres')))
        found.push({ folder, major })
    }
  return found.sort((a, b) => b.major - a.major)
}
